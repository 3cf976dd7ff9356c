"""Models behind the ports. Each adapter imports its optional package only when it is built."""
