"""The sandbox in which a student's code runs: its isolation, its limits, and the one channel to the judge."""
