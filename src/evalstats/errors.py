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
