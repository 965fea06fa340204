"""The statistics of LLM evals: two logs in, an honest answer out.

The door: a table of public names and the module each lives in, loaded on first use.
"""

from __future__ import annotations

import importlib

from evalstats._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start, and --help passes here
    from typing import Any

_NAMES = {
    "Estimate": "evalstats.results",
    "TestResult": "evalstats.results",
    "EvalStatsError": "evalstats.errors",
    "Scores": "evalstats.data.scores",
    "Comparison": "evalstats.envelope",
    "Comparisons": "evalstats.answers",
    "read": "evalstats.sources",
    "score": "evalstats.analyses.score",
    "compare": "evalstats.analyses.compare",
    "gate": "evalstats.analyses.gate",
    "slices": "evalstats.analyses.slices",
    "rank": "evalstats.analyses.rank",
    "attempts": "evalstats.analyses.passk",
    "agree": "evalstats.analyses.agree",
    "label_sample": "evalstats.analyses.agree_sample",
    "size": "evalstats.analyses.size",
    "components": "evalstats.analyses.variance",
    "contaminated": "evalstats.analyses.contamination",
    "judged": "evalstats.analyses.judge",
    "judge_bias": "evalstats.analyses.judge_bias",
    "judge_drift": "evalstats.analyses.judge_drift",
    "which": "evalstats.analyses.which",
    "reproduce": "evalstats.analyses.reproduce",
    "proportion": "evalstats.methods.rates",
    "paired_proportions": "evalstats.methods.paired",
    "unpaired_proportions": "evalstats.methods.unpaired",
    "mcnemar": "evalstats.methods.mcnemar",
    "mcnemar_counts": "evalstats.methods.mcnemar",
    "bonferroni": "evalstats.methods.corrections",
    "holm": "evalstats.methods.corrections",
    "benjamini_hochberg": "evalstats.methods.corrections",
    "verdict": "evalstats.methods.margins",
    "mean": "evalstats.methods.means",
    "weighted_mean": "evalstats.methods.weighted_means",
    "composite": "evalstats.methods.composites",
    "composite_difference": "evalstats.methods.composites",
    "combined_scores": "evalstats.methods.composites",
    "ratio": "evalstats.methods.ratios",
    "ratio_difference": "evalstats.methods.paired_statistics",
    "quantile_difference": "evalstats.methods.paired_statistics",
    "quantile": "evalstats.methods.quantiles",
    "icc": "evalstats.methods.clusters",
    "mean_difference": "evalstats.methods.differences",
    "paired_t": "evalstats.methods.difference_tests",
    "sign_flip_test": "evalstats.methods.sign_flip",
    "bootstrap_mean": "evalstats.methods.bootstrap",
    "bootstrap_paired_diff": "evalstats.methods.bootstrap",
    "bootstrap_statistic": "evalstats.methods.bootstrap",
    "required_n_paired_mean": "evalstats.subjects.power",
    "required_n_mcnemar": "evalstats.subjects.power",
    "mde_paired": "evalstats.subjects.power",
    "cohen_kappa": "evalstats.subjects.agreement",
    "krippendorff_alpha": "evalstats.subjects.agreement",
    "pass_at_k": "evalstats.subjects.passk",
    "pass_hat_k": "evalstats.subjects.passk",
    "rogan_gladen": "evalstats.subjects.judge_rates",
}
_NAMESPACES: dict[str, str] = {
    "paired": "evalstats.methods.paired",
    "unpaired": "evalstats.methods.unpaired",
    "clusters": "evalstats.methods.clusters",
    "corrections": "evalstats.methods.corrections",
    "many": "evalstats.methods.many",
    "power": "evalstats.subjects.power",
    "agreement": "evalstats.subjects.agreement",
    "passk": "evalstats.subjects.passk",
    "variance": "evalstats.subjects.variance",
    "contamination": "evalstats.subjects.contamination",
    "judge": "evalstats.subjects.judge",
}

__all__ = ["__version__", *_NAMES, *_NAMESPACES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _NAMESPACES:
        return importlib.import_module(_NAMESPACES[name])
    if name in _NAMES:
        value = getattr(importlib.import_module(_NAMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'evalstats' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
