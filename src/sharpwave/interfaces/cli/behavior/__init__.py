"""Commands about how the user wants to be helped."""
