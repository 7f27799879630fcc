"""What one notebook needs and nobody else; nothing here answers an exercise."""
