"""One learner a file: takes a lesson in, and shows what it knows. None knows a store."""
