"""The commands, a file each: `add_arguments(parser)`, and `run(arguments)`, which returns the exit code."""
