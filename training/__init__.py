"""How the embedder's table was made. Not part of the package that is installed."""
