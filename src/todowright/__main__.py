"""`python -m todowright` is the command `todowright`."""

import sys

from todowright.cli import main

sys.exit(main())
