"""Time: the clock, and moments as the stores keep them."""
