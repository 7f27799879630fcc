"""What decides: the walk through one notebook, one check, and the files handed in."""
