"""Records of how the assistant behaves, and of what it learns from."""
