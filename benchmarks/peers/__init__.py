"""Other memories beside ours: what they weigh, need, cost and find, measured in one run."""
