"""Fuzzing of what strangers write: notebooks, zips, messages of a sandbox. ``python -m tests.fuzz --help``."""
