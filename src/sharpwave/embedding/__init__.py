"""Embedders and rerankers: our own table, hashed n-grams, local models, endpoints."""
