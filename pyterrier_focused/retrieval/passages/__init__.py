"""What is a passage: selectors, chunks, slide, foreign ids."""
