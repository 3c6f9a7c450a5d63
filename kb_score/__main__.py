"""``python -m kb_score`` is ``kb-score``."""

from kb_score.cli import main

main()
