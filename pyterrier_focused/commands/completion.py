"""`pt-focused completion`: a script that completes commands and options in a shell, without starting Python."""

from __future__ import annotations

import argparse

# {commands} stands for all commands, {cases} for a line of options per command.
_BASH = """\
_pt_focused() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options=
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
    help) options="{commands}" ;;
{cases}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) if [ "${{COMP_WORDS[1]}}" = help ]; then COMPREPLY=($(compgen -W "$options" -- "$word"));
       else COMPREPLY=($(compgen -f -- "$word")); fi ;;
  esac
}}
complete -o filenames -F _pt_focused pt-focused
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell",
        choices=("bash", "zsh", "fish"),
        help='shell; write eval "$(pt-focused completion bash)" in its profile',
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print(make_script(arguments.shell, arguments.options_of_commands), end="")
    return 0


def make_script(shell: str, options: dict[str, list[str]]) -> str:
    """Return a script for a shell; *options* are those of each command."""
    if shell == "fish":
        commands = " ".join(options)
        lines = [f"complete -c pt-focused -n __fish_use_subcommand -f -a '{commands}'"]
        for command, names in options.items():
            line = f"complete -c pt-focused -n '__fish_seen_subcommand_from {command}'"
            lines += [f"{line} -l {name[2:]}" for name in names if name.startswith("--")]
        return "\n".join([*lines, ""])
    cases = "\n".join(f'    {command}) options="{" ".join(names)}" ;;' for command, names in options.items())
    script = _BASH.format(commands=" ".join(options), cases=cases)
    return script if shell == "bash" else f"autoload -U +X bashcompinit && bashcompinit\n{script}"
