"""All access to language models: vendors, prompts, consent, redaction and cost of a call."""
