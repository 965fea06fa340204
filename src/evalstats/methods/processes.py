"""Blocks of resamples in several processes: the same generators, so the same digits."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError, MethodError

Array = NDArray[np.float64]
MOST_WORKERS = 256
_IMPORTABLE = (
    "another process has to import it: define it with def in a module of its own (not a lambda, nor in a "
    'notebook cell), and call from under `if __name__ == "__main__":`'
)


class Blocks(Protocol):
    """What computes one block."""

    def block(self, generator: np.random.Generator, size: int, advance: Callable[[int], None]) -> Array: ...


def check_workers(workers: Any) -> int:
    """A whole number from 1 to MOST_WORKERS."""
    whole = isinstance(workers, int | np.integer) and not isinstance(workers, bool)
    if not whole or not 1 <= workers <= MOST_WORKERS:
        raise InputError(f"workers={workers!r}: give a number of processes from 1 to {MOST_WORKERS}.")
    return int(workers)


def in_processes(
    blocks: Blocks,
    generators: Iterable[tuple[np.random.Generator, int]],
    workers: int,
    advance: Callable[[int], None],
) -> Iterator[Array]:
    """The blocks in their order. Raises MethodError for a function that no other process can have.

    Processes are started anew ("spawn"), on every system alike: a fork of a process with threads can hang.
    """
    # half of what importing evalstats costs, and only asked for here
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    try:
        pickle.dumps(blocks)
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise MethodError(f"workers={workers}: stat_fn cannot be sent ({problem}): {_IMPORTABLE}.") from None
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            for values in pool.map(_Block(blocks), generators):
                advance(len(values))
                yield values
    except BrokenProcessPool:
        raise MethodError(
            f"workers={workers}: a process ended before it was done. Mostly {_IMPORTABLE}."
        ) from None


class _Block:
    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks

    def __call__(self, block: tuple[np.random.Generator, int]) -> Array:
        return self.blocks.block(*block, _nothing)


def _nothing(done: int) -> None:
    """Another process has no bar."""
