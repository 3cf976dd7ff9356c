"""Reading a message: what it is about, how it is meant, and what feedback in it says."""
