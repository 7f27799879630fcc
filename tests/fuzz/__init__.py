"""Fuzzing of what strangers write: notebooks through intake, messages through the wire. ``python -m tests.fuzz --help``."""
