"""Documents as texts, and where a quote is in them."""
