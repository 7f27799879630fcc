"""Solution sources (percent files) and references: the only place where answers are written."""
