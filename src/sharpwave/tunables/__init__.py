"""Groups of settings that have a file of their own; `settings.py` has the others."""
