"""Campaigns other than INEX, each as a package of a stranger would add it: nothing else imports them by name.

Their formats, measures and commands are joined by the entry points in pyproject.toml.
"""
