"""Errors for the person at the keyboard: what came, what was wanted, what to do."""


class EvalStatsError(ValueError):
    """Something about the data or the question keeps evalstats from an honest answer."""


class InputError(EvalStatsError):
    """A file, frame, value or option could not be understood."""


class PairingError(EvalStatsError):
    """Two runs could not be put side by side item by item."""


class MethodError(EvalStatsError):
    """The method does not exist, or is not honest for these data."""


class NoGuaranteeError(MethodError):
    """A guarantee was asked for and this situation has none."""


LARGEST = 1e70  # the fourth power of a score, and sums of such powers, stay below what a float holds


def too_large(which: str, score: float) -> InputError:
    """A finite score of which no variance can be computed. which : names it, and says "is" or "has"."""
    return InputError(
        f"{which} {score:g}: beyond ±{LARGEST:g} no variance can be computed. Mend it, or give all scores "
        "in a larger unit."
    )
