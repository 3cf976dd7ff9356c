"""Pure formulas, one file per quantity: no I/O, no clock, and no defaults of their own."""
