"""The experiments behind the claims that no other benchmark measures, one module per notebook."""
