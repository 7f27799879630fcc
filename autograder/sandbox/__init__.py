"""Where a student's code runs: the wall around it, its limits, and the one channel to the judge."""
