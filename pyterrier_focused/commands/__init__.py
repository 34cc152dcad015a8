"""The commands of the command line, one per file: `add_arguments(parser)` and `run(arguments)`, the exit code."""
