"""What the tests share."""

from pathlib import Path

FIXTURES = Path(__file__).parents[3] / "fixtures"
