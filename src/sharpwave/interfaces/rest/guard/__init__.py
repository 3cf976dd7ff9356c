"""What every request passes before anything of it is believed."""
