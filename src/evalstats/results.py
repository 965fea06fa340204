"""Estimate and TestResult: plain, frozen numbers that carry how they were made.

In Python what is not known is nan, in JSON null; `extra["undefined"]` says why, by field.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
from dataclasses import dataclass, field
from typing import Any

from evalstats._version import __version__

# key: (type as a person would say it, meaning). Closed: a test walks every method's output.
EXTRA: dict[str, tuple[str, str]] = {
    "standard_error": (
        "number",
        "√(p(1−p)/n) for a rate, s/√n for scores, √v of CR2 in clusters",
    ),
    "undefined": ("object", "field -> why it has no number"),
    "caveats": ("list of {code, text}", "what to keep in mind; codes are stable (evalstats.caveats.CAVEATS)"),
    "why": ("text", "why this method, in a few words"),
    "unit": ("text", "fraction: people read points and per cent; score: the score's own unit"),
    "estimand": (
        "text",
        "item_mean, cluster_mean, row_mean, macro, micro, weighted, quantile or ratio_of_sums",
    ),
    "view": ("text", "random_items: questions like these; fixed_items: these questions"),
    "guarantee": ("text", "proved or enumerated; absent when coverage is only measured"),
    "largest_cluster": ("integer", "the most items that a cluster can have, as declared for the guarantee"),
    "law": ("text", "which engine computed the bootstrap or permutation distribution, or monte_carlo"),
    "cross_check": (
        "object",
        "resamples beside the exact law: how far off at either end, in standard errors",
    ),
    "bounds": ("[low, high]", "the scale the limits were held in"),
    "n_clusters": ("integer", "clusters that were resampled or modelled"),
    "n_eff": ("number", "effective number of independent units"),
    "q": ("number", "which quantile: 0.5 is the median"),
    "kish_n": ("number", "(Σw)²/Σw²: as many equal units would weigh as much"),
    "n_discordant_units": ("integer", "units whose two scores differ: what a direction rests on"),
    "n_completions": ("integer", "scored completions behind the items"),
    "df": ("number", "degrees of freedom"),
    "design_effect": ("number", "variance in clusters over variance if items were independent"),
    "icc": ("number", "intraclass correlation of the clusters"),
    "boot_se": ("number", "standard deviation of the bootstrap distribution"),
    "boot_mean": ("number", "mean of the bootstrap distribution"),
    "acceleration": ("number", "BCa's a"),
    "z0": ("number", "BCa's median bias"),
    "one_sided_upper": ("number", "exact one-sided upper bound at the same level, when nothing was seen"),
    "one_sided_lower": ("number", "exact one-sided lower bound at the same level, when all were seen"),
    "rule_of_three": ("number", "3/n, the one-sided 95 % bound people quote"),
    "b": ("integer", "chapter: items only a has right"),
    "c": ("integer", "chapter: items only b has right"),
    "baseline_only": ("integer", "items only the baseline has right"),
    "candidate_only": ("integer", "items only the candidate has right"),
    "discordant_rate": ("number", "share of items that differ; with completions the mean of |difference|"),
    "sd_diff": ("number", "standard deviation of the item differences (n − 1)"),
    "mid_p": ("number", "McNemar mid-p beside the exact p"),
    "exact": ("number", "McNemar exact p beside the mid-p"),
    "sign_flip": ("number", "p of the sign-flip permutation test, beside t"),
    "observed_agreement": ("number", "share of labels that agree, before chance is taken off"),
    "expected_agreement": ("number", "share that would agree by chance, by the coefficient's own rule"),
    "chance_error": ("number", "standard error of a kappa if all agreement were chance"),
    "statistic_kind": ("text", "what `statistic` is: t, z, min(b, c), χ² ..."),
    "smallest_pvalue": ("number", "the smallest p-value that so many permutations can show"),
    "youden": ("number", "Se + Sp − 1 of a judge: 1 is never wrong, 0 no better than chance"),
    "unclipped": ("[point, low, high]", "of a corrected score, before it was moved onto its scale"),
    "lambda": ("number", "weight of the judge's scores in PPI++, 0 to 1"),
    "n_labelled": ("integer", "items that people labelled"),
    "n_disagreements": ("integer", "labelled items on which the judge differs from the label"),
    "worth_labels": ("number", "labels that would give this standard error without a judge"),
}


def display(renderer: str, result: Any, *options: Any) -> Any:
    """What `report` makes of a result: "notebook:html". It is found by name: results import no report."""
    room, _, name = renderer.partition(":")
    return getattr(importlib.import_module(f"evalstats.report.{room}"), name)(result, *options)


class Displayed:
    """A result that shows itself in a notebook, and as a chart."""

    def _repr_html_(self) -> str:
        return str(display("notebook:html", self))

    def chart(self, kind: str | None = None) -> Any:
        """An Altair chart: interval, forest or discordance; by default what fits the result.

        Raises InputError without the extra `charts`, and for a picture that this result has not.
        """
        return display("charts:chart", self, kind)


def plain(value: Any) -> Any:
    """JSON-safe: nan and infinities become None, containers are walked."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value


def number_text(value: float, unit: str, *, signed: bool = False) -> str:
    """A number as people read it: per cent with one decimal for fractions, four digits otherwise."""
    if math.isnan(value):
        return "not known"
    text = f"{100 * value:.1f}" if unit == "fraction" else f"{value:.4g}"
    if float(text) == 0.0:
        text = text.lstrip("-")
    return ("+" if signed and not text.startswith("-") else "") + text


def difference_text(value: float, unit: str) -> str:
    """A difference inside a sentence: "+3.0 points" for fractions, its own unit otherwise; true minus."""
    points = " points" if unit == "fraction" else ""
    return number_text(value, unit, signed=True).replace("-", "−") + points


def _signature(*parts: str) -> str:
    return "|".join((*parts, f"v:{__version__}"))


@dataclass(frozen=True)
class Estimate(Displayed):
    """A score with its interval, and how both were made.

    point, ci_low, ci_high : in the score's own unit (fractions for pass/fail).
    level : of the two-sided interval. n : items. n_boot, seed : None when no resampling ran.
    extra : keys of EXTRA only.

    >>> str(Estimate("accuracy", 0.72, 0.679, 0.758, 0.95, "wilson", 500, extra={"unit": "fraction"}))
    'accuracy 72.0% [67.9, 75.8] 95% wilson n=500'
    """

    name: str
    point: float
    ci_low: float
    ci_high: float
    level: float
    method: str
    n: int
    n_boot: int | None = None
    seed: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        return str(self.extra.get("unit", "score"))

    @property
    def standard_error(self) -> float:
        """Of the estimate; nan where it is not known (`extra["undefined"]` says why)."""
        return float(self.extra.get("standard_error", math.nan))

    @property
    def signature(self) -> str:
        """The line that lets anyone say which number this is: `accuracy|wilson|n:500|level:0.95|v:…`."""
        resampling = () if self.n_boot is None else (f"n_boot:{self.n_boot}", f"seed:{self.seed}")
        law = (f"law:{self.extra['law']}",) if self.exact_law else ()
        return _signature(self.name, self.method, f"n:{self.n}", f"level:{self.level:g}", *resampling, *law)

    @property
    def exact_law(self) -> bool:
        """A bootstrap by the law of infinitely many resamples: nothing in it is random."""
        return self.n_boot is None and "law" in self.extra

    def __str__(self) -> str:
        percent = "%" if self.unit == "fraction" else ""
        low, high = number_text(self.ci_low, self.unit), number_text(self.ci_high, self.unit)
        return (
            f"{self.name} {number_text(self.point, self.unit)}{percent} [{low}, {high}] "
            f"{100 * self.level:g}% {self.method} n={self.n}{', exact' if self.exact_law else ''}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Every field, JSON-safe: what is not known is None."""
        return {**plain(self), "version": __version__}

    def as_mlflow(self) -> dict[str, float]:
        """The three metrics of the chapter: name, name_ci_low, name_ci_high."""
        return {
            self.name: self.point,
            f"{self.name}_ci_low": self.ci_low,
            f"{self.name}_ci_high": self.ci_high,
        }

    def as_mlflow_params(self) -> dict[str, str]:
        """What must travel with the metrics: method, level, n, n_boot, seed, version."""
        return _mlflow_params(
            self.name, method=self.method, level=self.level, n=self.n, n_boot=self.n_boot, seed=self.seed
        )


@dataclass(frozen=True)
class TestResult(Displayed):
    """A test's statistic, p-value and effect, and how they were made.

    pvalue : two-sided. effect : the difference tested, in the score's unit; its sign is the function's
    (the chapter's `paired_t` and `mcnemar` give a − b, everything else candidate − baseline).
    """

    __test__ = False  # pytest must not collect it

    name: str
    statistic: float
    pvalue: float
    effect: float
    method: str
    n: int
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        return str(self.extra.get("unit", "score"))

    @property
    def signature(self) -> str:
        return _signature(self.name, self.method, f"n:{self.n}")

    def __str__(self) -> str:
        p = "p not known" if math.isnan(self.pvalue) else f"p = {self.pvalue:.2g}"
        points = " points" if self.unit == "fraction" else ""
        effect = number_text(self.effect, self.unit, signed=True) + points
        return f"{self.name} {p}, effect {effect}, {self.method} n={self.n}"

    def to_dict(self) -> dict[str, Any]:
        return {**plain(self), "version": __version__}

    def as_mlflow(self) -> dict[str, float]:
        return {
            f"{self.name}_statistic": self.statistic,
            f"{self.name}_pvalue": self.pvalue,
            f"{self.name}_effect": self.effect,
        }

    def as_mlflow_params(self) -> dict[str, str]:
        return _mlflow_params(self.name, method=self.method, n=self.n)


def _mlflow_params(name: str, **values: Any) -> dict[str, str]:
    said = {f"{name}_{key}": str(value) for key, value in values.items() if value is not None}
    return {**said, f"{name}_version": __version__}
