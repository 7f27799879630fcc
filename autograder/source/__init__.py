"""A solution source and what is made of it: cells, notebooks, lint, rendered solutions."""
