"""Requests that came by a door before, and how they were answered."""
