"""The programs that use the server, and how each is told of it."""
