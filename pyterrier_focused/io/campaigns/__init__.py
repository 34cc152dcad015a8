"""Formats of other campaigns."""
