"""Structure: NEXI, element models, two stages."""
