"""The facade over HTTP: one table of calls, which the server and the client both read."""
