"""The other distribution of this import name: refuse to run beside it rather than run half of each."""

from __future__ import annotations

import os
import sys

from evalstats.errors import InputError


def refuse_other_distribution() -> None:
    """Raise InputError when a distribution named `evalstats` is installed beside `evalstats-tally`.

    Both install a package `evalstats`, so that whichever came last has overwritten files of the other.
    """
    found = _other_distribution()
    if found is not None:
        raise InputError(
            f"evalstats-tally (this program) and another distribution, evalstats ({found}), both install a "
            "package named evalstats and overwrite each other's files: run `pip uninstall evalstats "
            "evalstats-tally`, then install the one you want, here `pip install evalstats-tally`."
        )


def _other_distribution() -> str | None:
    """Where its metadata lies, by file names alone: importlib.metadata costs more than an interpreter."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:  # an archive, or a folder that is not there
            continue
        for name in names:
            if name.startswith(("evalstats-", "evalstats.")) and name.endswith((".dist-info", ".egg-info")):
                return os.path.join(folder, name)
    return None
