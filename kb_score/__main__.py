"""``python -m kb_score`` is ``kb-score``: a signal ends it from its first import on."""

from kb_score.shell.signals import listen


def main() -> None:
    """Run the command."""
    listen()
    from kb_score.cli import main as verbs

    verbs()


if __name__ == "__main__":
    main()
