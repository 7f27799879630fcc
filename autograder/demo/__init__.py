"""The whole course on one machine, with a sample class."""
