"""How the assistant behaves towards each user, and how that is learned."""
