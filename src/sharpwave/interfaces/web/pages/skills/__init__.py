"""The page of skills and style."""
