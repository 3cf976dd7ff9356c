"""What feedback in any language means, and what situation a message is in."""
