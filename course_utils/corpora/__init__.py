"""Generators of the course's texts: people and birth towns ("a world"), book reviews, short stories, numbers in words."""
