"""What is done to the file as a whole: check, copy, restore, recover, rekey, scrub."""
