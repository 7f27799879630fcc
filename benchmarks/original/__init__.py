"""The original assignment's people and texts on a CPU or a GPU."""
