"""evalstats.toml: which benchmarks decide, by which metric and margin, frozen before the results are in.

Reading only checks and keeps; what a plan does to an answer is the analyses' business.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalstats.data.scores import Items
from evalstats.errors import InputError
from evalstats.methods import corrections

DEFAULT_NAME = "evalstats.toml"
TIERS = ("critical", "supporting", "advisory")
CORRECTIONS = (*(method.name for method in corrections.METHODS), "none")


@dataclass(frozen=True)
class PlannedBenchmark:
    """One [[benchmark]]; None where the plan leaves it to the log.

    margin : in the score's own unit, or text as on the command line ("1pt"). tier : critical, supporting or
    advisory. discordant_rate : the share of items that two runs of the same model are expected to disagree
    on. baseline : the run to compare with. items_sha256 : `items_digest` of the frozen items. config : the
    settings that must stay as they are.
    """

    name: str
    metric: str | None = None
    cluster: str | None = None
    bounds: tuple[float, float] | None = None
    margin: float | str | None = None
    tier: str = "critical"
    discordant_rate: float | None = None
    baseline: str | None = None
    items_sha256: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)

    @property
    def decides(self) -> bool:
        return self.tier != "advisory"


@dataclass(frozen=True)
class Plan:
    """A plan file. path : where it was read. family : names of the benchmarks corrected together.

    sha256 : of the file, "" for a plan that is not written yet.
    """

    path: str
    benchmarks: tuple[PlannedBenchmark, ...]
    family: tuple[str, ...]
    level: float = 0.95
    correction: str = "holm"
    sha256: str = ""

    def __getitem__(self, name: str) -> PlannedBenchmark:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def _by_name(self) -> dict[str, PlannedBenchmark]:
        return {benchmark.name: benchmark for benchmark in self.benchmarks}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    @property
    def clusters(self) -> frozenset[str]:
        """The fields that its benchmarks are clustered by."""
        return frozenset(b.cluster for b in self.benchmarks if b.cluster)

    @property
    def baseline(self) -> str:
        """The one run that all its benchmarks name, beside the plan if it lies there.

        Raises InputError when they name none, or several.
        """
        named = list(dict.fromkeys(b.baseline for b in self.benchmarks if b.baseline))
        if len(named) != 1:
            found = f"names {len(named)} baselines ({', '.join(named)})" if named else "names no baseline"
            raise InputError(
                f"{self.path} {found}: give one on the command line, as BASELINE CANDIDATE, or write "
                'baseline = "PATH" into each [[benchmark]].'
            )
        beside = Path(self.path).parent / named[0]
        return str(beside) if beside.exists() else named[0]


def items_digest(items: Items) -> str:
    """SHA-256 over the sorted content hashes of a benchmark's items; over their ids where it has none."""
    keys = items.hashes if all(items.hashes) else items.ids
    return hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()


def read_plan(path: str | Path) -> Plan:
    """The plan in a file. Raises InputError naming the table, the key and the line of what is wrong."""
    try:
        raw = Path(path).read_bytes()
        text = raw.decode("utf-8")
    except FileNotFoundError:
        raise InputError(f"no plan file {str(path)!r}. Write one with: evalstats init RUN.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is no text in UTF-8, as TOML must be.") from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is no TOML: {error}. Strings want quotes, tables [brackets].") from None
    plan = _plan(_File(str(path), text.splitlines()), content)
    return dataclasses.replace(plan, sha256=hashlib.sha256(raw).hexdigest())


@dataclass(frozen=True)
class _File:
    """path and lines of a plan, to say where something stands."""

    path: str
    lines: list[str]

    def place(self, key: str, at: int | None) -> str:
        """ "plan.toml, line 7": where a key of the at-th [[benchmark]] stands, else where that begins."""
        first, last = self._span(at)
        pattern = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*[=\].]")
        found = next(
            (n for n in range(first, last) if pattern.match(self.lines[n])), first if at is not None else None
        )
        return self.path if found is None else f"{self.path}, line {found + 1}"

    def _span(self, at: int | None) -> tuple[int, int]:
        heads = [n for n, line in enumerate(self.lines) if re.match(r"\s*\[\[\s*benchmark\s*\]\]", line)]
        if at is None or at >= len(heads):
            return 0, len(self.lines)
        return heads[at], [*heads, len(self.lines)][at + 1]


@dataclass(frozen=True)
class _Table:
    """One table of the file. where : what it is called. at : its number among the [[benchmark]]s, or None."""

    file: _File
    values: dict[str, Any]
    where: str
    at: int | None = None

    def error(self, key: str, problem: str) -> InputError:
        return InputError(f"{self.file.place(key, self.at)}: {key} of {self.where} {problem}.")

    def check_keys(self, known: Iterable[str]) -> None:
        known = list(known)
        for key in self.values:
            if key not in known:
                raise InputError(
                    f"{self.file.place(key, self.at)}: {self.where} has no key {key!r}.{_near(key, known)} "
                    f"There are: {', '.join(known)}."
                )

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.error(key, f"is {value!r}, no text in quotes")
        return value

    def word(self, key: str, known: tuple[str, ...], default: str) -> str:
        value = self.values.get(key, default)
        if value not in known:
            hint = _near(str(value), known)
            raise self.error(key, f"is {value!r}.{hint} It must be one of {', '.join(known)}")
        return str(value)

    def number(self, key: str, low: float, high: float) -> float | None:
        value = self.values.get(key)
        if value is None:
            return None
        if not _is_number(value) or not low <= value < high:
            raise self.error(key, f"is {value!r}; it must be a number from {low:g} to below {high:g}")
        return float(value)


def _plan(file: _File, content: dict[str, Any]) -> Plan:
    whole = _Table(file, content, "the file")
    whole.check_keys(("plan", "benchmark"))
    values, tables = content.get("plan", {}), content.get("benchmark", [])
    if not isinstance(values, dict):
        raise whole.error("plan", "is no table: write [plan] on a line of its own")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise whole.error("benchmark", "is no list of tables: write [[benchmark]], with doubled brackets")
    if not tables:
        raise InputError(f"{file.path} has no [[benchmark]]: nothing decides. Write one: evalstats init RUN.")
    head = _Table(file, values, "[plan]")
    head.check_keys(("level", "correction", "family"))
    benchmarks = tuple(_benchmark(file, table, at) for at, table in enumerate(tables))
    names = [benchmark.name for benchmark in benchmarks]
    twice = next((at for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(
            f"{file.place('name', twice)}: {names[twice]!r} is there twice: one [[benchmark]] for each."
        )
    return Plan(
        file.path,
        benchmarks,
        _family(head, benchmarks),
        head.number("level", 0.5, 1.0) or 0.95,
        head.word("correction", CORRECTIONS, "holm"),
    )


def _benchmark(file: _File, values: dict[str, Any], at: int) -> PlannedBenchmark:
    name = values.get("name")
    if not isinstance(name, str) or not name:
        raise InputError(
            f"{file.place('name', at)}: a [[benchmark]] needs its name in quotes, as evalstats show has it."
        )
    table = _Table(file, values, f"[[benchmark]] {name!r}", at)
    table.check_keys(f.name for f in dataclasses.fields(PlannedBenchmark))
    return PlannedBenchmark(
        name=name,
        metric=table.text("metric"),
        cluster=table.text("cluster"),
        bounds=_bounds(table),
        margin=_margin(table),
        tier=table.word("tier", TIERS, "critical"),
        discordant_rate=table.number("discordant_rate", 0.0, 1.0),
        baseline=table.text("baseline"),
        items_sha256=_digest(table),
        config=_config(table),
    )


def _family(head: _Table, benchmarks: tuple[PlannedBenchmark, ...]) -> tuple[str, ...]:
    """As listed; else every benchmark that decides."""
    family = head.values.get("family")
    if family is None:
        return tuple(benchmark.name for benchmark in benchmarks if benchmark.decides)
    names = [benchmark.name for benchmark in benchmarks]
    if not isinstance(family, list) or not all(isinstance(name, str) for name in family):
        raise head.error("family", 'is no list of names of benchmarks, such as ["gsm8k", "mmlu"]')
    for name in family:
        if name not in names:
            raise head.error(
                "family", f"names {name!r}.{_near(name, names)} The plan has: {', '.join(names)}"
            )
    return tuple(dict.fromkeys(family))


def _margin(table: _Table) -> float | str | None:
    value = table.values.get("margin")
    if value is None or (isinstance(value, str) and value):
        return value
    if not _is_number(value) or value <= 0:
        raise table.error("margin", f'is {value!r}; write a number above 0 in the score\'s unit, or "1pt"')
    return float(value)


def _bounds(table: _Table) -> tuple[float, float] | None:
    value = table.values.get("bounds")
    if value is None:
        return None
    numbers = isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))
    if not numbers or not value[0] < value[1]:
        raise table.error("bounds", f"is {value!r}; write [low, high], such as [1, 10]")
    return float(value[0]), float(value[1])


def _digest(table: _Table) -> str | None:
    value = table.text("items_sha256")
    if value is not None and not re.fullmatch(r"[0-9a-f]{64}", value):
        raise table.error(
            "items_sha256", f"is {value!r}; it is 64 digits 0–9 and a–f, as `evalstats init` writes"
        )
    return value


def _config(table: _Table) -> dict[str, str]:
    value = table.values.get("config", {})
    if not isinstance(value, dict):
        raise table.error("config", "is no table: write [benchmark.config] below the benchmark")
    for key, setting in value.items():
        if not isinstance(setting, str):
            raise table.error(key, f"is {setting!r}: settings are text in quotes, as the log has them")
    return dict(value)


def _near(word: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {found[0]!r}?" if found else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_HEAD = """\
# What decides, written down before the results are in: commit this file, and gate with
#   evalstats gate CANDIDATE --plan {path}

[plan]
level = {level:g}  # of every interval; a margin is held at (1 - level)/2 = {side:.3g} a side
# of p over the family: {corrections}
correction = {correction}
family = [{family}]

# tier: critical    the gate fails if this one fails or is missing; inconclusive if it is
#       supporting  a failure makes the gate inconclusive
#       advisory    printed, decides nothing
# margin: how much worse is still fine, "1pt" or 0.01 of a score from 0 to 1; else in the score's unit
# More keys: cluster = "FIELD", bounds = [1, 10], discordant_rate = 0.1 (of two runs of the same model)
# items_sha256 and config freeze what was measured: delete a setting that may change
"""


def plan_text(plan: Plan, advice: Mapping[str, str]) -> str:
    """A plan as a file that a person edits. advice : a comment above each benchmark's margin, by its name."""
    family = ", ".join(map(_quoted, plan.family))
    head = _HEAD.format(
        path=plan.path,
        level=plan.level,
        side=(1 - plan.level) / 2,
        correction=_quoted(plan.correction),
        corrections=", ".join(CORRECTIONS),
        family=family,
    )
    return head + "".join(f"\n{_benchmark_text(b, advice.get(b.name, ''))}" for b in plan.benchmarks)


def _benchmark_text(benchmark: PlannedBenchmark, advice: str) -> str:
    lines = ["[[benchmark]]", f"name = {_quoted(benchmark.name)}"]
    for key in ("metric", "cluster"):
        if getattr(benchmark, key) is not None:
            lines.append(f"{key} = {_quoted(getattr(benchmark, key))}")
    if benchmark.bounds is not None:
        lines.append(f"bounds = [{benchmark.bounds[0]:g}, {benchmark.bounds[1]:g}]")
    lines += [f"# {line}" for line in advice.splitlines()]
    lines.append(_margin_line(benchmark.margin))
    lines.append(f"tier = {_quoted(benchmark.tier)}")
    if benchmark.discordant_rate is not None:
        lines.append(f"discordant_rate = {benchmark.discordant_rate!r}")
    for key in ("baseline", "items_sha256"):
        if getattr(benchmark, key) is not None:
            lines.append(f"{key} = {_quoted(getattr(benchmark, key))}")
    if benchmark.config:
        lines += ["", "[benchmark.config]"]
        lines += [f"{_key(key)} = {_quoted(value)}" for key, value in benchmark.config.items()]
    return "".join(f"{line}\n" for line in lines)


def _margin_line(margin: float | str | None) -> str:
    if margin is None:
        return '# margin = "3pt"   decide before you look'
    return f"margin = {_quoted(margin) if isinstance(margin, str) else repr(margin)}"


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _quoted(text)


def _quoted(text: str) -> str:
    """A basic string of TOML: JSON's escapes are TOML's, but that a lone surrogate is none."""
    safe = text.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(safe, ensure_ascii=False).replace("\x7f", "\\u007f")
