"""What the judge, the tests and the benchmarks use as the right answer."""
