"""What the person thought of an answer, and what that teaches."""
