"""How what was remembered is shown to a model: as quoted data, behind a fence it cannot leave."""
