"""Users too large to be held in memory: their candidates come from the database."""
