"""`python -m bychance` is the command line."""

from bychance.cli import main

main()
