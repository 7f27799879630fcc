"""Modules that only one notebook needs; nothing here answers an exercise."""
