"""When sleep comes by itself."""
