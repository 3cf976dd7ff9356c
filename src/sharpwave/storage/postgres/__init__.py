"""The same memory on PostgreSQL, for any number of machines."""
