"""What the tests share."""

import signal
from pathlib import Path

FIXTURES = Path(__file__).parents[3] / "fixtures"

# A program started in the background by a shell ignores Ctrl-C, and so would Python in it.
signal.signal(signal.SIGINT, signal.default_int_handler)
