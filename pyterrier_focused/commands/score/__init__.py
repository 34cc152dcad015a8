"""Commands that score runs: evaluate, report, measures."""
