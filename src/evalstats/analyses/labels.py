"""What runs are called: the shortest parts of model, date or path that tell them apart."""

from __future__ import annotations

from pathlib import PurePath

from evalstats.data.scores import Scores
from evalstats.sources import Source


def run_labels(sources: tuple[Source, ...], scores: tuple[Scores | None, ...]) -> tuple[str, ...]:
    """A label for each run: LABEL= as given, else model, else date, else path, whichever differs first.

    One run alone is called by its model, else by its path.
    """
    given = tuple(source.label for source in sources)
    if all(given):
        return tuple(str(label) for label in given)
    for names in (_models(scores), _metrics(sources), _dates(scores), _paths(sources)):
        if all(names) and len(set(names)) == len(names):
            return tuple(label or name for label, name in zip(given, names, strict=True))
    two = ("baseline", "candidate")[: len(sources)]
    defaults = two if len(sources) <= len(two) else tuple(f"run {at + 1}" for at in range(len(sources)))
    return tuple(label or name for label, name in zip(given, defaults, strict=True))


def _models(scores: tuple[Scores | None, ...]) -> tuple[str, ...]:
    """A model without its maker where that tells them apart. The name of a run is no path: it stays whole."""
    models = tuple(_first(run, "model") for run in scores)
    found = tuple(model or _first(run, "run") for model, run in zip(models, scores, strict=True))
    short = tuple(model.rsplit("/", 1)[-1] or name for model, name in zip(models, found, strict=True))
    return short if len(set(short)) == len(short) else found


def _metrics(sources: tuple[Source, ...]) -> tuple[str, ...]:
    return tuple(source.metric or "" for source in sources)


def _dates(scores: tuple[Scores | None, ...]) -> tuple[str, ...]:
    """The day, or the minute where the day is the same."""
    dates = tuple(_first(run, "created") for run in scores)
    days = tuple(date[:10] for date in dates)
    return days if len(set(days)) == len(days) else tuple(date[:16] for date in dates)


def _paths(sources: tuple[Source, ...]) -> tuple[str, ...]:
    """The last part of the path in which all differ, else the whole; counts have no path."""
    if any(source.counts for source in sources):
        return ("",) * len(sources)
    parts = [PurePath(source.path).parts for source in sources]
    for back in range(1, min(map(len, parts)) + 1):
        names = tuple(part[-back] for part in parts)
        if len(set(names)) == len(names):
            return names
    return tuple(source.path for source in sources)


def _first(scores: Scores | None, attribute: str) -> str:
    return "" if scores is None else str(getattr(scores.benchmarks[0].header, attribute))
