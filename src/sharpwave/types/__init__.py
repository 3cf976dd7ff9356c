"""Frozen records that pass between the parts. They import nothing of ours and do nothing."""
