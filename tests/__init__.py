"""Tests run on machines without control groups too: what they run is ours, and says so as an instructor would."""

import os

os.environ.setdefault("AUTOGRADER_WITHOUT", "cgroup")
