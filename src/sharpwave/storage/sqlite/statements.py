"""The statements of `queries.sql`, by name."""

from sharpwave.storage import named_queries

SQL = named_queries.load("sharpwave.storage.sqlite", "queries.sql")
