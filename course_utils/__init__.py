"""What students import: small, readable tools for building, training and checking Transformers."""
