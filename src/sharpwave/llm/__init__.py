"""The one way to a language model: vendors, prompts, consent, redaction and cost of a call."""
