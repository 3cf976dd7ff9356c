"""The facade over HTTP: one table of calls, used by both server and client."""
