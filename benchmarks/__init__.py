"""Measurements: speed against peers, experiments, thresholds. Run by hand, kept as JSON."""
