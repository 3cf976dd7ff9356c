"""One learner per file: it learns from a lesson, and shows what it knows. None uses a store."""
