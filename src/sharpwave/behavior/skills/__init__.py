"""Ways to answer: which there are, how well each fits, and which is chosen."""
