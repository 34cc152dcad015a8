"""The verbs of the command line, one a file: `add_arguments(parser)` and `run(arguments)`, the exit code."""
