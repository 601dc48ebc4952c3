"""`python -m gmixup`: the same as the command `gmixup`."""

import sys

from gmixup.cli import main

sys.exit(main())
