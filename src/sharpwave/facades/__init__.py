"""Parts of the facade that have a file of their own; `Memory` inherits them."""
