"""The embedder of our own: a table of word-piece vectors that ships inside the package."""
