"""Commands of `sharpwave eval` that have a file of their own."""
