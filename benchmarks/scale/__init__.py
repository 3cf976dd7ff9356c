"""How a memory on PostgreSQL does with very many records, beside the file and the bare database."""
