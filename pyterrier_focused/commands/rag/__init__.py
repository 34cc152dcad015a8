"""Commands for RAG: retrieved, chunks."""
