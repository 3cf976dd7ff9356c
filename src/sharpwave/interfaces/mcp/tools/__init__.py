"""Tools for agents: plain functions, each with one call of the facade and its answer."""
