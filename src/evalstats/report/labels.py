"""What methods and corrections are called in print. A test holds the names against the method tables."""

from __future__ import annotations

METHODS = {
    "wilson": "Wilson",
    "wilson_effective": "Wilson on the effective n",
    "wilson_stratified": "Wilson on the stratified n",
    "stratified_t": "stratified t",
    "clopper_pearson": "Clopper–Pearson",
    "wald": "Wald",
    "wilson_cc": "Wilson with continuity correction",
    "jeffreys": "Jeffreys",
    "mid_p": "mid-p",
    "agresti_coull": "Agresti–Coull",
    "blaker": "Blaker",
    "betting_mixture": "betting",
    "logit_t_shrunk": "t on the logit",
    "t": "Student t",
    "cr2_t": "t on CR2",
    "cr1_z": "CR1, normal (Inspect's)",
    "korn_graubard_cr2": "Korn–Graubard on CR2",
    "korn_graubard": "Korn–Graubard",
    "fixed_items_t": "t over completions",
    "order_statistics": "order statistics",
    "delta_t": "delta method, t",
    "fieller": "Fieller",
    "tango": "Tango",
    "tango_effective": "Tango on effective counts",
    "tango_bonett_price": "Tango and Bonett–Price, outer limits",
    "bonett_price": "Bonett–Price",
    "newcombe": "Newcombe",
    "agresti_min": "Agresti–Min",
    "newcombe_unpaired": "Newcombe",
    "newcombe_clopper_pearson": "MOVER with Clopper–Pearson",
    "clopper_pearson_rectangle": "Clopper–Pearson rectangle",
    "miettinen_nurminen": "Miettinen–Nurminen",
    "agresti_caffo": "Agresti–Caffo",
    "paired_t": "paired t",
    "t_pseudo": "t with two pseudo-differences",
    "cr2_t_pseudo": "t on CR2 with two pseudo-clusters",
    "welch": "Welch",
    "sign_flip": "sign-flip",
    "order_permutation": "permutation of orders",
    "wilcoxon_exact": "Wilcoxon, exact",
    "wilcoxon_normal": "Wilcoxon, normal",
    "max_t": "max-t",
    "cochran_q": "Cochran's Q",
    "friedman": "Friedman",
    "mcnemar_exact": "McNemar exact",
    "mcnemar_mid_p": "McNemar mid-p",
    "mcnemar_chi2": "McNemar χ²",
    "mcnemar_chi2_cc": "McNemar χ² with continuity correction",
    "z_pooled": "pooled z",
    "fisher": "Fisher exact",
    "barnard": "Barnard",
    "boschloo": "Boschloo",
    "rogan_gladen_wilson": "Rogan–Gladen, Wilson's limits mapped",
    "lang_reiczigel": "Lang–Reiczigel",
    "rogan_gladen_delta": "Rogan–Gladen, delta",
    "fce": "Fleiss–Cohen–Everitt",
    "jackknife_t": "jackknife, t",
    "linearised_t": "linearised, t",
    "donner_eliasziw": "Donner–Eliasziw",
    "bca": "bootstrap, BCa",
    "ppi_plus_plus": "PPI++",
    "ppi": "PPI",
}

_BOOTSTRAPS = {
    "percentile": "percentile",
    "basic": "basic",
    "bca": "BCa",
    "studentized": "studentised",
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
    """The printed name; a method that has none here is called by its own.

    >>> method_label("tango"), method_label("cluster_paired_bootstrap_bca")
    ('Tango', 'bootstrap of clusters, BCa')
    """
    before, bootstrap, kind = method.partition("bootstrap_")
    if bootstrap and kind in _BOOTSTRAPS:
        unit = "clusters" if before.startswith("cluster") else "items"
        within = " within benchmarks" if before == "stratified_" else ""
        return f"bootstrap of {unit}{within}, {_BOOTSTRAPS[kind]}"
    return METHODS.get(method, method.replace("_", " "))


def correction_label(correction: str) -> str:
    return CORRECTIONS.get(correction, correction.replace("_", " "))
