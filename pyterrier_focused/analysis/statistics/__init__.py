"""Is it chance? Tests of systems, agreement of judges, rankings by measures and by topics."""
