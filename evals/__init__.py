"""`sharpwave eval …`: how good and how fast the parts are, beside others, on public data."""
