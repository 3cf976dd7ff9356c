"""Standing instructions to the assistant in a user's words, by rules of grammar."""
