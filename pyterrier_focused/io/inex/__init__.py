"""INEX: FOL, XML, paths, qrels, topics, units, validation."""
