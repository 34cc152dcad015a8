"""Commands on collections: build, verify, view."""
