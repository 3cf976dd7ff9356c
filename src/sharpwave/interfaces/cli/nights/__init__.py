"""Commands about sleep and work in the background."""
