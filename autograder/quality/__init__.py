"""Tests of the checks: known mistakes, mistakes made by rule, and many seeds."""
