"""What a judge's errors do to a score, and what can be done about them: `es.judge`.

Corrected rates (Rogan–Gladen), scores and differences from a random labelled part (PPI, PPI++), biases of a
judge of pairs, and its drift on frozen anchors. Each function takes numbers; `es.judged` takes runs.
"""

from __future__ import annotations

from evalstats.subjects.judge_bias import PositionBias, Preference, length_bias, position_bias, preference
from evalstats.subjects.judge_drift import AnchorDrift, Drift, anchor_drift
from evalstats.subjects.judge_ppi import ppi_difference, ppi_mean
from evalstats.subjects.judge_rates import rogan_gladen

__all__ = [
    "AnchorDrift",
    "Drift",
    "PositionBias",
    "Preference",
    "anchor_drift",
    "length_bias",
    "position_bias",
    "ppi_difference",
    "ppi_mean",
    "preference",
    "rogan_gladen",
]
