"""``python -m kb_score`` is ``kb-score``."""

from kb_score.shell.shutdown import OwnProcess


def main() -> None:
    """Run the command; it ends the process."""
    # The command is imported in here, so that a signal during the import shows no traceback.
    with OwnProcess():
        from kb_score.cli import COMPLETION, prepare_process
        from kb_score.cli import main as verbs

        prepare_process()
        verbs(complete_var=COMPLETION)


if __name__ == "__main__":
    main()
