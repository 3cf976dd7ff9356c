"""Whether a language model does what each prompt asks of it."""
