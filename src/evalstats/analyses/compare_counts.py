"""The row of a comparison of two counts, 360/500 and 375/500, with or without the discordant items."""

from __future__ import annotations

from evalstats.analyses.comparison_row import comparison_signature
from evalstats.analyses.family import Answer
from evalstats.analyses.options import Options, size_in_score_units
from evalstats.analyses.planning import needed_items, smallest_shown
from evalstats.analyses.score import ONLY_FOR_LOGS
from evalstats.analyses.sides import NO_FIELDS
from evalstats.analyses.tried import best_of
from evalstats.caveats import caveat
from evalstats.envelope import Comparison, Design, Pairing, Scale, Side
from evalstats.errors import InputError
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.paired import paired_proportions
from evalstats.methods.rates import proportion
from evalstats.methods.unpaired import unpaired_proportions, unpaired_test
from evalstats.results import Estimate, TestResult
from evalstats.sources import Source

_SCALE = Scale("pass_fail", 0.0, 1.0)


def compared_counts(sources: tuple[Source, Source], labels: tuple[str, str], options: Options) -> Answer:
    """One row from K/N and K/N; paired if the discordant counts are given, which must fit."""
    options.refuse((*ONLY_FOR_LOGS, "paired"), "counts have no such thing; give the logs.")
    (k_baseline, n_baseline), (k_candidate, n_candidate) = (source.counts or (0, 0) for source in sources)
    margin = None if options.margin is None else size_in_score_units("margin", options.margin, _SCALE)
    effect = None if options.effect is None else size_in_score_units("effect", options.effect, _SCALE)
    paired = options.discordant is not None

    def at_level(level: float) -> Estimate:
        if options.discordant is None:
            return unpaired_proportions(
                k_baseline,
                n_baseline,
                k_candidate,
                n_candidate,
                level=level,
                method=options.method,
                guarantee=options.guarantee,
            )
        return paired_proportions(
            *options.discordant,
            n_baseline,
            level=level,
            method=options.method,
            guarantee=options.guarantee,
            both_right=k_baseline - options.discordant[0],
        )

    if options.discordant is not None:
        _check_discordant(options.discordant, (k_baseline, n_baseline), (k_candidate, n_candidate))
    difference, test = at_level(options.level), _test(sources, options)
    mde, note = smallest_shown(difference, options.level)
    n_items = n_baseline if paired else n_baseline + n_candidate
    row = Comparison(
        benchmark="counts",
        metric="pass rate",
        scale=_SCALE,
        design=Design("item", "none", paired, n_items, n_items, 1.0),
        baseline=_side(labels[0], k_baseline, n_baseline, options),
        candidate=_side(labels[1], k_candidate, n_candidate, options),
        difference=difference,
        test=test,
        margin=margin,
        higher_is_better=not options.lower_is_better,
        mde=mde,
        mde_note=note,
        needed=needed_items(effect, margin, difference, options.level),
        tried=best_of(options.tried, test, higher_is_better=not options.lower_is_better),
        pairing=_pairing(options.discordant, k_baseline, n_baseline) if options.discordant else None,
        caveats=(*difference.extra.get("caveats", ()), *_cautions(paired)),
        not_checked=(NO_FIELDS, "whether the runs have the same items"),
        signature=comparison_signature(difference, test),
    )
    return Answer(row, at_level)


def _check_discordant(
    discordant: tuple[int, int], baseline: tuple[int, int], candidate: tuple[int, int]
) -> None:
    """--discordant BASELINE_ONLY CANDIDATE_ONLY must fit both counts."""
    baseline_only, candidate_only = discordant
    both_right = baseline[0] - baseline_only
    fits = (
        baseline[1] == candidate[1]
        and both_right >= 0
        and both_right == candidate[0] - candidate_only
        and both_right + baseline_only + candidate_only <= baseline[1]
    )
    if not fits:
        raise InputError(
            f"--discordant {baseline_only} {candidate_only} does not fit {baseline[0]}/{baseline[1]} and "
            f"{candidate[0]}/{candidate[1]}: both must have the same items, and the difference of the right "
            f"answers ({candidate[0] - baseline[0]:+d}) must be {candidate_only} − {baseline_only}. "
            f"Give the items only the baseline has right first."
        )


def _test(sources: tuple[Source, Source], options: Options) -> TestResult:
    (k_baseline, n_baseline), (k_candidate, n_candidate) = (source.counts or (0, 0) for source in sources)
    if options.discordant is not None:
        return mcnemar_counts(*options.discordant, n_baseline, name="difference")
    return unpaired_test(
        k_baseline, n_baseline, k_candidate, n_candidate, guarantee=options.guarantee, name="difference"
    )


def _side(label: str, k: int, n: int, options: Options) -> Side:
    return Side(label, "", n, n, 0, 0, proportion(k, n, level=options.level, name="pass rate"))


def _pairing(discordant: tuple[int, int], k_baseline: int, n: int) -> Pairing:
    baseline_only, candidate_only = discordant
    both_right = k_baseline - baseline_only
    return Pairing(
        key="--discordant",
        n_common=n,
        only_in_baseline=0,
        only_in_candidate=0,
        missing_in_baseline=0,
        missing_in_candidate=0,
        duplicates=0,
        baseline_only=baseline_only,
        candidate_only=candidate_only,
        both_right=both_right,
        both_wrong=n - both_right - baseline_only - candidate_only,
    )


def _cautions(paired: bool) -> list[dict[str, str]]:
    if paired:
        return []
    text = (
        "compared as if no item were shared: if the runs have the same items, give --discordant "
        "BASELINE_ONLY CANDIDATE_ONLY (or the logs) for an interval that is often a third narrower"
    )
    return [caveat("shared_items_unpaired", text)]
