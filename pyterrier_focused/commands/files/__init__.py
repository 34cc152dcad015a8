"""Commands on files: convert, validate."""
