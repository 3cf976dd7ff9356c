"""What agents did, and what it teaches: tools, patterns, insights, advice."""
