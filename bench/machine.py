"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import numpy as np
import scipy


def described() -> str:
    """Processor, cores, memory, system and the versions that count, without the machine's name."""
    system = f"{platform.system()} on {platform.machine()}"
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}"
    return f"{_processor()}, {os.cpu_count()} cores, {_memory()}{system}, {versions}"


def _processor() -> str:
    models = [
        line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")
    ]
    return models[0] if models else platform.processor() or "a processor that does not say its name"


def _memory() -> str:
    kilobytes = [int(line.split()[1]) for line in _lines("/proc/meminfo") if line.startswith("MemTotal")]
    return f"{kilobytes[0] / 2**20:.0f} GB of memory, " if kilobytes else ""


def _lines(path: str) -> list[str]:
    found = Path(path)
    return found.read_text(encoding="utf-8").splitlines() if found.exists() else []
