"""Who is asking: shared by every door that speaks HTTP."""
