"""Retrieval for RAG: what was retrieved, and which chunks should be, scored by evidence."""
