"""An Estimate from its parts: limits, variance, caveats and what else is known of the items."""

from __future__ import annotations

import math
from typing import Any

from evalstats.kernel.limits import Held
from evalstats.kernel.method import Method
from evalstats.methods.cautions import Caveats, beside_a_proof
from evalstats.methods.items import Request
from evalstats.results import Estimate

NO_SPREAD = "no spread was seen, which does not mean that there is none"


def assembled(
    request: Request,
    chosen: Method,
    n: int,
    point: float,
    limits: Held,
    v: float,
    about: dict[str, Any],
    said: Caveats,
) -> Estimate:
    """The result. v : variance of the estimate, 0 where none was seen. about : further entries of `extra`.

    said : caveats; one with a proof keeps those that are not about coverage.
    """
    undefined = limits.undefined | ({} if v > 0 else {"standard_error": NO_SPREAD})
    extra = {
        "standard_error": math.sqrt(v) if v > 0 else math.nan,
        **limits.extra,
        **about,
        "caveats": [*(beside_a_proof(said) if chosen.proof else said), *limits.caveats],
        **({"guarantee": chosen.proof} if chosen.proof else {}),
        **({"undefined": undefined} if undefined else {}),
    }
    n_boot, seed = request.resampling(limits.n_boot)
    return Estimate(
        request.name, point, limits.low, limits.high, request.level, chosen.name, n, n_boot, seed, extra
    )
