"""A quantile of a question's items, in place of their mean or beside it."""

from __future__ import annotations

import dataclasses

from evalstats.analyses.options import Options
from evalstats.analyses.statistic_options import quantile_name
from evalstats.errors import InputError, MethodError
from evalstats.methods.differences import item_difference
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.means import item_mean_estimate
from evalstats.methods.paired_statistics import PairedStatistic, paired_statistic, quantile_of_rows
from evalstats.methods.pairs import PairedItems
from evalstats.methods.quantiles import quantile_estimate
from evalstats.results import Estimate

TYPICAL = (0.5, 0.95)


def item_quantile(values: ItemValues, q: float, request: Request) -> Estimate:
    """Raises MethodError for right or wrong answers, whose every quantile is 0 or 1."""
    check_quantile(values.pass_fail, q, request)
    return quantile_estimate(values.y, values.cluster, q, request)


def check_quantile(pass_fail: bool, q: float, request: Request) -> None:
    if pass_fail:
        raise MethodError(
            f"a {quantile_name(q)} of right or wrong answers is 0 or 1: leave quantile out for the pass "
            "rate, or name another metric."
        )
    if request.view != "random_items":
        raise InputError("view: a quantile is about questions like these; leave view out.")


def quantile_metric(metric: str, q: float) -> str:
    """ "latency, median"."""
    return f"{metric}, {quantile_name(q)}"


def item_estimate(values: ItemValues, options: Options, request: Request) -> Estimate:
    """The mean of the items, or the quantile that was asked for."""
    if options.quantile is None:
        return item_mean_estimate(values, request)
    name = quantile_metric(request.name, options.quantile)
    return item_quantile(values, options.quantile, dataclasses.replace(request, name=name))


def difference_of_items(pairs: PairedItems, options: Options, request: Request) -> Estimate:
    """The difference of the means, or of the quantile that was asked for."""
    if options.quantile is None:
        return item_difference(pairs, request)
    check_quantile(pairs.pass_fail, options.quantile, request)
    of_rows = quantile_of_rows(options.quantile)
    old, new = pairs.y_baseline[:, None], pairs.y_candidate[:, None]
    return paired_statistic(PairedStatistic(of_rows, old, new, pairs.cluster), request)
