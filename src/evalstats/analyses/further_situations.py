"""The rows of the routing table of rarer questions, after the commonest ones."""

from __future__ import annotations

from evalstats.data.routing import Situation, Tool
from evalstats.methods import bootstrap, macro, many_intervals, many_tests, mean_intervals, quantiles, ratios
from evalstats.subjects import judge_ppi, judge_rates, variance

_NUMBERS = ("pass_fail", "bounded", "unbounded")

FURTHER = (
    Situation(
        number=26,
        situation="cost, tokens or seconds",
        facts={"runs": ("one",), "scores": ("unbounded",), "units": ("items",), "goal": ("score",)},
        answer="the median and the 95th percentile first; of the mean, t",
        reason="a long tail: few items carry the mean, and no interval of it holds on few items",
        avoid=(("a mean alone", "one item can be half of it"),),
        command="evalstats score RUN --metric cost",
        call="es.mean(prices)",
        page="methods/quantiles.md",
        tools=(Tool("the mean", mean_intervals.UNBOUNDED), Tool("a quantile", quantiles.METHODS)),
    ),
    Situation(
        number=27,
        situation="where the noise comes from: items, decoding, judge, prompt, implementation",
        facts={"runs": ("one", "many"), "scores": _NUMBERS, "units": ("completions",), "goal": ("noise",)},
        answer="components of variance from repeated runs, and what one more of each would bring",
        reason="only what was repeated can be told apart, and each source asks for another remedy",
        avoid=(
            ("the spread of a few reruns as the error bar", "it leaves out which items there are"),
            ("more completions without end", "the items' part stays"),
        ),
        command="evalstats variance RUN",
        call="es.variance.one_way(scores, passages)",
        page="variance.md",
        tools=(Tool("the shares", variance.METHODS),),
    ),
    Situation(
        number=28,
        situation="an LLM judge that errs gave the scores",
        facts={
            "runs": ("one", "two"),
            "scores": ("pass_fail", "bounded"),
            "items": ("same",),
            "goal": ("judge",),
        },
        answer="PPI++ with people's labels of a random part; Rogan–Gladen where its error rates are known",
        reason="a judge passes wrong answers and fails right ones, and not equally often for every model",
        avoid=(
            ("the judge's score as it stands", "its interval holds no bias of the judge"),
            ("labels of the answers that look odd", "only a random part speaks about the rest"),
            ("PPI++ under 20 disagreements", "89 % coverage on average, at worst 42: the labels come first"),
        ),
        command="evalstats judge RUN --labels LABELS",
        call="es.rogan_gladen(60, 200, 0.9, 0.95)",
        page="judge.md",
        tools=(
            Tool("error rates known", judge_rates.KNOWN),
            Tool("a part is labelled", judge_ppi.PPI),
            Tool("error rates estimated", judge_rates.ESTIMATED),
        ),
    ),
    Situation(
        number=29,
        situation="more than two runs on the same items: which is best",
        facts={"runs": ("many",), "scores": _NUMBERS, "items": ("same",), "goal": ("rank",)},
        answer="rank ranges, and groups that intervals of all pairs at once do not tell apart",
        reason="of 105 pairs of 15 equal runs five differ by luck, and the best score of many is too high",
        avoid=(
            ("the order of the scores", "most of it is noise"),
            ("intervals of single scores that overlap", "the runs share the items: pairs are compared"),
            ("a test of any difference as a gate", "it says nothing of a pair"),
        ),
        command="evalstats rank RUN RUN RUN",
        call="es.rank('scores.csv')",
        page="rank.md",
        tools=(
            Tool("all pairs at once", many_intervals.SIMULTANEOUS),
            Tool("any difference", many_tests.METHODS),
        ),
    ),
    Situation(
        number=30,
        situation="an average of benchmarks, a ratio of two metrics, any other statistic",
        facts={
            "runs": ("one", "two"),
            "scores": _NUMBERS,
            "units": ("items",),
            "items": ("same",),
            "goal": ("statistic",),
        },
        answer="stratified for benchmarks; the bootstrap of items for the rest, by its exact law for a ratio",
        reason="an average must say whether benchmarks or items weigh the same; a ratio's error is its own",
        avoid=(
            ("a mean of ratios for the ratio of sums", "items that cost little would weigh most"),
            ("resampling benchmarks", "they are the ones there are, no sample of others"),
            ("a minimum or maximum", "no resample shows what was not drawn"),
        ),
        command="evalstats score RUN --ratio cost/accuracy",
        call="es.ratio(prices, marks)",
        page="any-statistic.md",
        tools=(
            Tool("a ratio", ratios.ITEMS),
            Tool("an average of benchmarks", macro.MEANS),
            Tool("any other", bootstrap.METHODS),
        ),
    ),
)
