"""Checks that anyone can run on an implementation of their own: an engine, a format, a shape."""
