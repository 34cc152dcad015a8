"""Bytes to fields: files, lines, tables, XML, JSON, and what is wrong with them."""
