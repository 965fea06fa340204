"""What Inspect's samples were asked and answered: read for whoever asks, from the samples themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from evalstats.data.scores import Exchange
from evalstats.readers.archive import ZipLog, contents, decoded
from evalstats.readers.inspect_log import Id, id_text, sample_names

_ATTACHED = "attachment://"


class _Sample(msgspec.Struct):
    """input : a text or messages. output : choices of messages, and the first one's text."""

    id: Id
    epoch: int = 1
    input: Any = None
    target: Any = None
    output: dict[str, Any] | None = None
    attachments: dict[str, str] | None = None


class _Log(msgspec.Struct):
    samples: list[_Sample] | None = None


_SAMPLE = msgspec.json.Decoder(_Sample)
_LOG = msgspec.json.Decoder(_Log)


def exchanges(path: Path, archive: ZipLog | None) -> dict[tuple[str, int], Exchange]:
    """(item, epoch) -> what was asked, wanted and answered. archive : of an .eval, None for a .json."""
    samples: Iterable[_Sample]
    if archive is None:
        samples = decoded(contents(path), _LOG, path).samples or []
    else:
        samples = (decoded(archive.read(name), _SAMPLE, archive.path, name) for name in sample_names(archive))
    return {(id_text(sample.id), sample.epoch): _exchange(sample) for sample in samples}


def _exchange(sample: _Sample) -> Exchange:
    known = sample.attachments or {}
    return Exchange(
        prompt="\n\n".join(_texts(sample.input, known)),
        target=", ".join(_texts(sample.target, known)),
        answer="\n\n".join(_answer(sample.output or {}, known)),
    )


def _answer(output: Mapping[str, Any], known: Mapping[str, str]) -> list[str]:
    if output.get("completion"):
        return list(_texts(output["completion"], known))
    choices = output.get("choices") or [{}]
    return list(_texts((choices[0].get("message") or {}).get("content"), known))


def _texts(value: Any, known: Mapping[str, str]) -> Iterator[str]:
    """The texts of a message, of its parts, or of a list of messages; each message under its role."""
    if isinstance(value, str):
        yield known.get(value.removeprefix(_ATTACHED), value) if value.startswith(_ATTACHED) else value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part, known)
    elif isinstance(value, Mapping):
        inner = " ".join(_texts(value.get("content", value.get("text")), known))
        yield f"{value['role']}: {inner}" if value.get("role") else inner
