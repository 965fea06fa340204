"""What methods are called in print. A test holds every label against the method tables."""

from __future__ import annotations

METHODS = {
    "wilson": "Wilson",
    "clopper_pearson": "Clopper–Pearson",
    "wald": "Wald",
    "wilson_cc": "Wilson with continuity correction",
    "jeffreys": "Jeffreys",
    "mid_p": "mid-p",
    "agresti_coull": "Agresti–Coull",
    "tango": "Tango",
    "tango_bonett_price": "Tango and Bonett–Price, outer limits",
    "bonett_price": "Bonett–Price",
    "newcombe": "Newcombe",
    "agresti_min": "Agresti–Min",
    "mcnemar_exact": "McNemar exact",
    "mcnemar_mid_p": "McNemar mid-p",
    "mcnemar_chi2": "McNemar χ²",
    "mcnemar_chi2_cc": "McNemar χ² with continuity correction",
}

CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "hochberg": "Hochberg",
    "benjamini_hochberg": "Benjamini–Hochberg",
    "benjamini_yekutieli": "Benjamini–Yekutieli",
}

FALSE_DISCOVERY = ("benjamini_hochberg", "benjamini_yekutieli")


def method_label(method: str) -> str:
    """The printed name; a method without one is called by its own."""
    return METHODS.get(method, method.replace("_", " "))


def correction_label(correction: str) -> str:
    return CORRECTIONS.get(correction, correction.replace("_", " "))
