"""Interfaces to the library: each parses, makes one facade call, and renders the answer."""
