"""What a user's words ask of the assistant for good, by rules of grammar."""
