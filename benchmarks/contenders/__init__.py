"""The stores that are compared, each behind the same few calls."""
