"""The commands, a file each: `EXAMPLE`, `add_arguments(parser)`, and `run(arguments)`, which returns the exit code."""
