"""A notebook's frame: its first and last cells, what it costs, what this machine can do."""
