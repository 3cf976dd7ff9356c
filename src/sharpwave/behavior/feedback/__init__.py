"""Feedback on answers: ratings, trajectories and comments, and learning from them."""
