"""Pure formulas by theme: no I/O, no clock, and no defaults of their own."""
