"""What is kept, to look through."""
