"""Engines: one file each, and the contract that all of them keep in `base`."""
