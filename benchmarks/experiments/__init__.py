"""What notebooks and README state, measured; results go to benchmarks/results and data/."""
