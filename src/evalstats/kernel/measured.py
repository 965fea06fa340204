"""What the atlas measured at 95 %, by situation and method: written by `make coverage`, not by hand.

Coverage: worst cell with 10 or more informative units, worst of all / mean over cells. † : outside the
promise; a caveat says so where the data are such.
"""

from __future__ import annotations

MEASURED: dict[str, dict[str, str]] = {
    "one pass rate": {
        "wilson": ".935 with 10+ informative, .860 at the edge / .949",
        "clopper_pearson": ".950 with 10+ informative, .950 at the edge / .977",
        "wald": ".919 with 10+ informative, .004 at the edge / .661 †",
        "wilson_cc": ".950 with 10+ informative, .950 at the edge / .973",
        "jeffreys": ".935 with 10+ informative, .885 at the edge / .956",
        "mid_p": ".935 with 10+ informative, .917 at the edge / .964",
        "agresti_coull": ".935 with 10+ informative, .903 at the edge / .967",
        "blaker": ".950 with 10+ informative, .950 at the edge / .969",
        "bootstrap_percentile": ".932 with 10+ informative, .004 at the edge / .610 †",
        "bootstrap_basic": ".935 with 10+ informative, .004 at the edge / .520 †",
        "bootstrap_bca": ".943 with 10+ informative, .004 at the edge / .542 †",
        "bootstrap_studentized": ".935 with 10+ informative, .000 at the edge / .257 †",
    },
    "several completions per item": {
        "wilson_effective": ".933 with 10+ informative, .863 at the edge / .954",
        "cr2_t": ".909 with 10+ informative, .105 at the edge / .845 †",
        "logit_t_shrunk": ".942 with 10+ informative, .851 at the edge / .971",
    },
    "a mean of bounded scores": {
        "wilson_effective": ".919 with 10+ informative, .837 at the edge / .943",
        "betting_mixture": ".997 with 10+ informative, .997 at the edge / .999",
        "t": ".891 with 10+ informative, .090 at the edge / .823 †",
        "logit_t_shrunk": ".945 with 10+ informative, .939 at the edge / .976",
        "bootstrap_percentile": ".862 with 10+ informative, .167 at the edge / .772 †",
    },
    "a mean of unbounded scores": {
        "t": ".841 with 10+ informative, .819 at the edge / .930 †",
    },
    "a clustered pass rate or bounded score": {
        "korn_graubard_cr2": ".930 with 10+ informative, .906 at the edge / .973",
        "betting_mixture": "1.000 with 10+ informative, .993 at the edge / .998",
        "korn_graubard": ".923 with 10+ informative, .854 at the edge / .958",
        "cr2_t": ".891 with 10+ informative, .175 at the edge / .859 †",
        "cr1_z": ".889 with 10+ informative, .174 at the edge / .835 †",
        "logit_t_shrunk": ".934 with 10+ informative, .895 at the edge / .978",
        "cluster_bootstrap_percentile": ".925 with 10+ informative, .381 at the edge / .831 †",
    },
    "a clustered mean of unbounded scores": {
        "cr2_t": ".896 with 10+ informative, .896 at the edge / .942 †",
        "cr1_z": ".846 with 10+ informative, .732 at the edge / .905 †",
    },
    "two pass rates on the same items": {
        "tango": ".936 with 10+ informative, .918 at the edge / .966",
        "tango_bonett_price": ".952 with 10+ informative, .952 at the edge / .987",
        "betting_mixture": ".998 with 10+ informative, .997 at the edge / .999",
        "wald": ".914 with 10+ informative, .049 at the edge / .785 †",
        "bonett_price": ".934 with 10+ informative, .922 at the edge / .972",
        "newcombe": ".926 with 10+ informative, .852 at the edge / .966",
        "agresti_min": ".922 with 10+ informative, .862 at the edge / .963",
        "paired_bootstrap_percentile": ".929 with 10+ informative, .030 at the edge / .622 †",
        "paired_bootstrap_basic": ".900 with 10+ informative, .048 at the edge / .591 †",
        "paired_bootstrap_bca": ".945 with 10+ informative, .030 at the edge / .581 †",
        "paired_bootstrap_studentized": ".914 with 10+ informative, .000 at the edge / .262 †",
    },
    "a test of two pass rates on the same items": {
        "mcnemar_exact": "size at most .0465",
        "mcnemar_mid_p": "size at most .0502",
        "mcnemar_chi2": "size at most .0780",
        "mcnemar_chi2_cc": "size at most .0465",
    },
    "paired pass rates with several completions per item": {
        "tango_effective": ".941 with 10+ informative, .931 at the edge / .966",
        "cr2_t": ".909 with 10+ informative, .340 at the edge / .921 †",
        "cr2_t_pseudo": ".947 with 10+ informative, .947 at the edge / .985",
    },
    "paired pass rates in clusters": {
        "tango_effective": ".925 with 10+ informative, .882 at the edge / .967",
        "cr2_t": ".899 with 10+ informative, .392 at the edge / .912 †",
        "cr2_t_pseudo": ".921 with 10+ informative, .916 at the edge / .987",
    },
    "a paired difference of bounded scores": {
        "paired_t": ".919 with 10+ informative, .077 at the edge / .858 †",
        "t_pseudo": ".951 with 10+ informative, .951 at the edge / .988",
    },
    "two pass rates on different items": {
        "newcombe_unpaired": ".943 with 10+ informative, .905 at the edge / .959",
        "clopper_pearson_rectangle": ".997 with 10+ informative, .989 at the edge / .998",
        "miettinen_nurminen": ".948 with 10+ informative, .924 at the edge / .964",
        "agresti_caffo": ".943 with 10+ informative, .935 at the edge / .963",
        "wald": ".919 with 10+ informative, .181 at the edge / .875 †",
        "newcombe_clopper_pearson": ".959 with 10+ informative, .951 at the edge / .975",
    },
    "a test of two pass rates on different items": {
        "z_pooled": "size at most .0569",
        "fisher": "size at most .0363",
        "boschloo": "size at most .0422",
    },
    "two bounded means on different items": {
        "welch": ".908 with 10+ informative, .337 at the edge / .924 †",
    },
    "two means on different items in clusters": {
        "cr2_t": ".934 with 10+ informative, .860 at the edge / .948",
    },
    "the macro average of one run": {
        "wilson_stratified": ".945 with 10+ informative, .945 at the edge / .949",
        "stratified_t": ".938 with 10+ informative, .938 at the edge / .946",
    },
    "the macro average of a paired difference": {
        "stratified_t": ".946 with 10+ informative, .946 at the edge / .950",
    },
}
