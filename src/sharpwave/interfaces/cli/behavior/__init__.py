"""Commands about how a person wants to be helped."""
