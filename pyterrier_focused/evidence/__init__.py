"""Evidence in whatever shape becomes qrels."""
