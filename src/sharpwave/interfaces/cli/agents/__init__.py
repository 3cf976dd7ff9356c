"""Commands about the work of agents."""
