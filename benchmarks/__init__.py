"""Measurements: speed against peers (other implementations), experiments, thresholds. Run by hand, saved as JSON."""
