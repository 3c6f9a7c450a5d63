"""Faults of the disk, as SQLite tests them: the n-th operation on a file fails, for every n.

``python -m tools.faults`` runs all of them and lists what went wrong. What fails and how:
`tools.faults.layer`; what is run: `runs`; what must hold after each fault: `sweep`.
"""
