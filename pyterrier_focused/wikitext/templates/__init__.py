"""What templates and parser functions show, by the tables in data/ and by functions."""
