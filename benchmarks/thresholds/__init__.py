"""Where the grading thresholds come from."""
