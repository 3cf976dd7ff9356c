"""What the stores on SQL databases have in common: all but their dialects and connections."""
