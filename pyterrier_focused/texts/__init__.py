"""Documents as texts, and the places of quotes in them."""
