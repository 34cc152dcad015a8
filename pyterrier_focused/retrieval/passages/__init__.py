"""Passages: selectors, chunks, slide, foreign ids."""
