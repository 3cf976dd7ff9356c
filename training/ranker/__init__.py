"""How the ranking weights and the calibration were made: `python -m training.ranker`."""
