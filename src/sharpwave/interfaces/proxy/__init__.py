"""A proxy for OpenAI's API that adds memory to requests."""
