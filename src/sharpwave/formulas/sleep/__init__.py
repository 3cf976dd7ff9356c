"""What happens to memories at night, in numbers."""
