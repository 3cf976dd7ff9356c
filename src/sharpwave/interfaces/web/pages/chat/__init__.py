"""Talk with the configured model, or see what it would be told."""
