"""Measurements from which the grading thresholds are derived."""
