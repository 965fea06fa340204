"""Closed, full and broken streams: the exit code stays the answer's, and no fault of the machine is ours."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

FAILS = ["gate", "450/500", "300/500", "--discordant", "160", "10", "--margin", "9"]
EVALSTATS = f"{shlex.quote(sys.executable)} -m evalstats"


def shell(line: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["sh", "-c", line], capture_output=True, check=False)


def test_a_gate_fails_also_for_a_reader_that_has_left() -> None:
    read, write = os.pipe()
    os.close(read)
    command_line = [sys.executable, "-m", "evalstats", *FAILS]
    done = subprocess.run(command_line, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_gate_fails_also_with_standard_output_closed() -> None:
    done = shell(f"{EVALSTATS} {shlex.join(FAILS)} >&-")
    assert (done.returncode, done.stderr) == (1, b"")


def test_an_error_with_standard_error_closed_keeps_its_code() -> None:
    assert shell(f"{EVALSTATS} score nothing.eval 2>&-").returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_no_fault_of_the_program() -> None:
    done = shell(f"{EVALSTATS} score 360/500 --json > /dev/full")
    assert done.returncode == 2
    assert b"standard output cannot be written: No space left on device" in b" ".join(done.stderr.split())
