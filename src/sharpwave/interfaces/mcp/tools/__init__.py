"""What agents can do: plain functions, each one call of the facade and its answer."""
