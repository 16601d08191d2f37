"""What the tests share."""

import os
import signal
from pathlib import Path

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures"

# The command, which `cargo xtask test wheel` builds beside the wheel.
COMMAND = Path(os.environ.get("EVERYPLY_COMMAND", ROOT / "target/debug/everyply"))

SLOW = os.environ.get("EVERYPLY_SLOW") == "1"

# A program started in the background by a shell ignores Ctrl-C, and so would Python in it.
signal.signal(signal.SIGINT, signal.default_int_handler)
