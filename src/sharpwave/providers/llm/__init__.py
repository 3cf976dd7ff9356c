"""Language models behind the LLM port."""
