"""What is measured: each file one scenario, each step of it in a process of its own."""
