"""Every family, in the order of the pages."""

from __future__ import annotations

from atlas.families_of_more import OF_MORE
from atlas.families_of_scores import OF_SCORES
from atlas.family import Family

FAMILIES: tuple[Family, ...] = (*OF_SCORES, *OF_MORE)
