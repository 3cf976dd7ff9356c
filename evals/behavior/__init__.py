"""How well behavior is learned."""
