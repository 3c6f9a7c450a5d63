"""``python -m kb_score`` is ``kb-score``."""

from kb_score.shell.shutdown import run_process

_NAME = "kb-score"


def main() -> None:
    """Run the command; it ends the process."""
    run_process(_run_verb)


def _run_verb() -> int:
    """Run the verb of the command line, or complete it, and return the exit status."""
    # Imported in here, so that a signal during the import shows no traceback.
    import os
    import sys

    import click
    from click.shell_completion import shell_complete

    from kb_score.cli import COMPLETION, prepare_process
    from kb_score.cli import main as verbs

    prepare_process()
    if os.environ.get(COMPLETION):
        return shell_complete(verbs, {}, _NAME, COMPLETION, os.environ[COMPLETION])
    # click's own `main` would end with status 1 when the reader of the output is gone.
    try:
        with verbs.make_context(_NAME, sys.argv[1:]) as context:
            verbs.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return 0


if __name__ == "__main__":
    main()
