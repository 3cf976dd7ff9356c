"""Commands that write small files to keep, to look at and to carry around."""
