"""``python -m kb_score`` is ``kb-score``: a signal ends it from its first import on."""

import os

TYPE_CHECKING = False  # the typing module itself takes a while
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # as in shell/signals.py


def _leave(number: int, _: object) -> None:
    os._exit(128 + number)


# Python is interrupted most while it looks for files, as for that of `listen`.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _leave)

from kb_score.shell.signals import listen  # noqa: E402


def main() -> None:
    """Run the command."""
    listen(_leave)
    from kb_score.cli import COMPLETION, prepare_process
    from kb_score.cli import main as verbs
    from kb_score.shell.shutdown import OwnProcess

    prepare_process()
    with OwnProcess():
        verbs(complete_var=COMPLETION)


if __name__ == "__main__":
    main()
