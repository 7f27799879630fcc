"""Holding the checks to account: known mistakes, and many seeds."""
