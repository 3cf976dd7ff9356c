"""Values of behavior."""
