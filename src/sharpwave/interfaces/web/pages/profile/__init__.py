"""What is known of the user, now and at any moment before."""
