"""What stands around a row: its neighbours in the session, and the features they give."""
