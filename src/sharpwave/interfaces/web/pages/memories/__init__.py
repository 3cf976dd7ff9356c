"""Every memory: look for it, see where it comes from, set it right, forget it."""
