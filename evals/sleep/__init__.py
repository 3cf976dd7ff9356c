"""What sleep costs and brings."""
