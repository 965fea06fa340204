"""An Inspect log as it lies on disk: .eval (a zip of JSON members) or .json (one object).

Scores are in `summaries.json`; `samples/` is opened only for a value that the summary left out. A log
that was killed has no `header.json`: its journal says what it was to be and what was done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from evalstats.errors import InputError
from evalstats.readers.archive import ZipLog, contents, decoded

REMOVED = "Key removed from summary (> 1k)"  # stands in summaries for values that were too long
_THINNED = 1000  # the summary cuts texts at 1,024 characters and ends them with "..."
_MEND = "Copy it again from where it was written; `inspect log recover` may restore what a killed run left."

Id = int | str | float
T = TypeVar("T")


class Score(msgspec.Struct):
    value: Any = None


class Sample(msgspec.Struct):
    """One epoch of one sample. error : a text in summaries, an object in samples."""

    id: Id
    epoch: int = 1
    scores: dict[str, Score] | None = None
    metadata: dict[str, Any] | None = None
    error: Any = None


class Metric(msgspec.Struct):
    name: str = ""
    value: Any = None
    params: dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    group: str | None = None


class ResultScore(msgspec.Struct):
    """One entry of results.scores: a scorer, or a key of its dict, under one reducer."""

    name: str
    scorer: str | None = None
    reducer: str | None = None
    metrics: dict[str, Metric] = {}


class Results(msgspec.Struct):
    scores: list[ResultScore] | None = None
    total_samples: int = 0


class ReducedSample(msgspec.Struct):
    value: Any = None
    sample_id: Id | None = None


class Reduction(msgspec.Struct):
    """The value of each sample after one reducer over its epochs."""

    scorer: str
    samples: list[ReducedSample]
    reducer: str | None = None


class Dataset(msgspec.Struct):
    name: str | None = None
    location: str | None = None
    sample_ids: list[Id] | None = None
    shuffled: bool | None = None


class Scorer(msgspec.Struct):
    name: str
    options: dict[str, Any] | None = None
    metrics: Any = None


class Spec(msgspec.Struct):
    """`eval`: what was run."""

    task: str
    model: str = ""
    created: str = ""
    task_version: Any = None
    task_args: dict[str, Any] | None = None
    dataset: Dataset | None = None
    model_args: dict[str, Any] | None = None
    model_base_url: str | None = None
    model_roles: dict[str, Any] | None = None
    model_generate_config: dict[str, Any] | None = None
    config: dict[str, Any] | None = None
    packages: dict[str, Any] | None = None
    solver: str | None = None
    solver_args: dict[str, Any] | None = None
    scorers: list[Scorer] | None = None
    metrics: Any = None


class Plan(msgspec.Struct):
    steps: list[dict[str, Any]] | None = None
    config: dict[str, Any] | None = None


class Log(msgspec.Struct):
    """The whole log. killed : it has no header, only a journal."""

    eval: Spec
    status: str = "started"
    plan: Plan | None = None
    results: Results | None = None
    error: Any = None
    invalidated: bool = False
    samples: list[Sample] | None = None
    reductions: list[Reduction] | None = None
    killed: bool = False


_LOG = msgspec.json.Decoder(Log)
_SAMPLES = msgspec.json.Decoder(list[Sample])
_SAMPLE = msgspec.json.Decoder(Sample)
_REDUCTIONS = msgspec.json.Decoder(list[Reduction])
_OBJECT = msgspec.json.Decoder(dict[str, Any])


def id_text(value: Id) -> str:
    """Ids are texts or integers in a log, and texts with us."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@contextmanager
def opened(path: Path, zipped: bool) -> Iterator[tuple[Log, ZipLog | None]]:
    """The log with its samples, each epoch once, and the zip file while it is open."""
    if not zipped:
        log = decoded(contents(path), _LOG, path)
        log.samples = _newest(log.samples or [])
        yield log, None
        return
    with ZipLog(path, _MEND) as archive:
        log = _header(archive)
        log.samples = _newest(_summaries(archive))
        if "reductions.json" in archive:
            log.reductions = _member(archive, "reductions.json", _REDUCTIONS)
        yield log, archive


def complete_metadata(archive: ZipLog, samples: Iterable[Sample], names: Iterable[str]) -> None:
    """Put in what the summaries left out of these fields, from the members of the samples themselves."""
    names = tuple(names)
    members = _SampleMembers(archive)
    for sample in samples:
        if any(_left_out(sample, name) for name in names):
            sample.metadata = {**(sample.metadata or {}), **members.metadata(sample)}


def complete_scores(archive: ZipLog, samples: Iterable[Sample]) -> None:
    """Put in the scores whose value the summaries left out."""
    members = _SampleMembers(archive)
    for sample in samples:
        if any(_is_removed(score.value) for score in (sample.scores or {}).values()):
            sample.scores = members.full(sample).scores


class _SampleMembers:
    """Finds the member of a sample by name, else by the id inside: names are made from ids of any kind."""

    def __init__(self, archive: ZipLog) -> None:
        self._archive = archive
        self._by_content: dict[tuple[str, int], str] | None = None

    def full(self, sample: Sample) -> Sample:
        return _member(self._archive, self._name(sample), _SAMPLE)

    def metadata(self, sample: Sample) -> dict[str, Any]:
        name = self._name(sample)
        apart = name.removesuffix("sample.json") + "metadata.json"
        if name.endswith("/sample.json") and apart in self._archive:
            return _member(self._archive, apart, _OBJECT)
        return self.full(sample).metadata or {}

    def _name(self, sample: Sample) -> str:
        stem = f"samples/{id_text(sample.id)}_epoch_{sample.epoch}"
        for name in (f"{stem}.json", f"{stem}/sample.json"):
            if name in self._archive:
                return name
        if self._by_content is None:
            self._by_content = {}
            for name in sample_names(self._archive):
                inside = _member(self._archive, name, _SAMPLE)
                self._by_content[id_text(inside.id), inside.epoch] = name
        name = self._by_content.get((id_text(sample.id), sample.epoch), "")
        if not name:
            raise InputError(
                f"{self._archive.path}: sample {id_text(sample.id)!r}, epoch {sample.epoch}, is in the "
                f"summaries but not under samples/. {_MEND}"
            )
        return name


def _header(archive: ZipLog) -> Log:
    if "header.json" in archive:
        return _member(archive, "header.json", _LOG)
    if "_journal/start.json" in archive:
        log = _member(archive, "_journal/start.json", _LOG)
        log.status, log.killed = "started", True
        return log
    raise InputError(
        f"{archive.path} is a zip file without header.json or _journal/start.json: no Inspect log, or "
        f"one that lost its header. {_MEND}"
    )


def _summaries(archive: ZipLog) -> list[Sample]:
    """From summaries.json, else the journal's parts in their order, else the samples themselves."""
    if "summaries.json" in archive:
        return _member(archive, "summaries.json", _SAMPLES)
    journal = [name for name in archive.names if name.startswith("_journal/summaries/")]
    if journal:
        return [s for name in sorted(journal, key=_number) for s in _member(archive, name, _SAMPLES)]
    return [_member(archive, name, _SAMPLE) for name in sample_names(archive)]


def _newest(samples: list[Sample]) -> list[Sample]:
    """A sample that was run again stands twice; the later one counts, as in Inspect itself."""
    return list({(id_text(sample.id), sample.epoch): sample for sample in samples}.values())


def sample_names(archive: ZipLog) -> list[str]:
    """The members that hold a sample each."""
    in_pieces = {name.removesuffix("sample.json") for name in archive.names if name.endswith("/sample.json")}
    return [
        name
        for name in archive.names
        if name.startswith("samples/")
        and name.endswith(".json")
        and (name.endswith("/sample.json") or not any(name.startswith(folder) for folder in in_pieces))
    ]


def _number(name: str) -> int:
    stem = name.rsplit("/", 1)[-1].removesuffix(".json")
    return int(stem) if stem.isdigit() else 0


def _left_out(sample: Sample, name: str) -> bool:
    """Whether the summary cannot say what the sample holds there (old summaries hold no metadata)."""
    if sample.metadata is None:
        return True
    return _is_removed(sample.metadata.get(name.partition(".")[0]))


def _is_removed(value: Any) -> bool:
    return value == REMOVED or (isinstance(value, str) and len(value) > _THINNED and value.endswith("..."))


def _member(archive: ZipLog, name: str, decoder: msgspec.json.Decoder[T]) -> T:
    return decoded(archive.read(name), decoder, archive.path, name)
