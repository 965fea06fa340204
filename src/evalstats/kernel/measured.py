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
        "wilson_effective": ".921 with 10+ informative, .867 at the edge / .954",
        "cr2_t": ".902 with 10+ informative, .099 at the edge / .846 †",
        "logit_t_shrunk": ".936 with 10+ informative, .859 at the edge / .971",
    },
    "a mean of bounded scores": {
        "wilson_effective": ".905 with 10+ informative, .851 at the edge / .939 †",
        "betting_mixture": "1.000 with 10+ informative, .990 at the edge / .999",
        "t": ".882 with 10+ informative, .089 at the edge / .821 †",
        "logit_t_shrunk": ".939 with 10+ informative, .931 at the edge / .975",
        "bootstrap_percentile": ".850 with 10+ informative, .110 at the edge / .782 †",
    },
    "a mean of unbounded scores": {
        "t": ".833 with 10+ informative, .817 at the edge / .927 †",
    },
    "a clustered pass rate or bounded score": {
        "korn_graubard_cr2": ".925 with 10+ informative, .905 at the edge / .974",
        "betting_mixture": "1.000 with 10+ informative, 1.000 at the edge / 1.000",
        "korn_graubard": ".920 with 10+ informative, .851 at the edge / .958",
        "cr2_t": ".891 with 10+ informative, .177 at the edge / .860 †",
        "cr1_z": ".885 with 10+ informative, .169 at the edge / .835 †",
        "logit_t_shrunk": ".924 with 10+ informative, .890 at the edge / .979",
        "cluster_bootstrap_percentile": ".900 with 10+ informative, .400 at the edge / .827 †",
    },
    "a clustered mean of unbounded scores": {
        "cr2_t": ".896 with 10+ informative, .895 at the edge / .942",
        "cr1_z": ".846 with 10+ informative, .733 at the edge / .904 †",
    },
}
