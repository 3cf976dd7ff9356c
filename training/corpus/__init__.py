"""People and moments written for this project, and the program that checks them."""
