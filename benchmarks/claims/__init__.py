"""What the notebooks state about experiments: each sentence and figure with its control, seeds, interval and result."""
