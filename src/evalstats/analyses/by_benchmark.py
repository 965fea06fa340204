"""A verb's answer with a part for each benchmark, a sequence also when there is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, overload

from evalstats.envelope import Provenance
from evalstats.errors import InputError


class Named(Protocol):
    """What a part is called."""

    @property
    def benchmark(self) -> str: ...


B = TypeVar("B", bound=Named)


@dataclass(frozen=True)
class ByBenchmark(Sequence[B], Generic[B]):
    """`.only` is the single benchmark, `["HumanEval"]` one by name."""

    benchmarks: tuple[B, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.benchmarks)

    def __iter__(self) -> Iterator[B]:
        return iter(self.benchmarks)

    @overload
    def __getitem__(self, key: int | str) -> B: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[B]: ...
    def __getitem__(self, key: int | str | slice) -> B | Sequence[B]:
        """By position or by name."""
        if not isinstance(key, str):
            return self.benchmarks[key]
        for one in self.benchmarks:
            if one.benchmark == key:
                return one
        raise InputError(f"no benchmark {key!r} here; there are: {self._names()}.")

    @property
    def only(self) -> B:
        """The single benchmark. Raises InputError that lists what there is when there are several."""
        if len(self.benchmarks) != 1:
            raise InputError(f"{len(self.benchmarks)} benchmarks, not one: choose from {self._names()}.")
        return self.benchmarks[0]

    def _names(self) -> str:
        return ", ".join(repr(one.benchmark) for one in self.benchmarks)
