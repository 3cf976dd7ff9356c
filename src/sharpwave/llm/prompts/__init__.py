"""What is asked of a language model: one module per prompt, with version and form of the answer."""
