"""Judging: a run through one notebook, one check, and the submitted files."""
