"""From what a learning platform exports to notebooks that may be graded."""
