"""Speed against peers, in the same interleaved run."""
