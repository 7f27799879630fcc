"""Generators of the course's texts: a fictional world, book reviews, short stories, numbers in words."""
