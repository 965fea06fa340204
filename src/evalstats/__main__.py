"""`python -m evalstats` is the command `evalstats`."""

import sys

from evalstats.cli.main import main

sys.exit(main())
