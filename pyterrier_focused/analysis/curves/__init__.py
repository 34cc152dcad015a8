"""Curves as numbers and as plots; the face is analysis."""
