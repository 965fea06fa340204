"""Runs a command and writes what it used as JSON: seconds of CPU and of the clock, kilobytes at the peak.

Its own process is small: a child's peak of memory starts at that of the process that starts it.
"""

import json
import os
import subprocess
import sys
import time


def main() -> int:
    started = time.monotonic()
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    elapsed = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    print(json.dumps([used.ru_utime + used.ru_stime, elapsed, used.ru_maxrss]))
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
