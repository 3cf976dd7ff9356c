"""Commands about the doors: `serve`, `keys`, `config`."""
