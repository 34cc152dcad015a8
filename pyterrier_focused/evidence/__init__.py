"""From evidence in any shape to qrels."""
