"""Skills, ways to answer: the catalog, how one is selected, and what is learned about them."""
