"""Curves as numbers and as plots."""
