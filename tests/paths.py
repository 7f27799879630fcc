"""Where tests find the checkout, and what lies beside them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_COURSE = ROOT / "tests" / "sample_course"
MISCONCEPTIONS = ROOT / "tests" / "misconceptions"
