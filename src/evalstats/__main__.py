"""`python -m evalstats` is the command `evalstats`."""

import sys

from evalstats.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
