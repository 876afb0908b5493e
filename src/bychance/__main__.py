"""The command `bychance`, also as `python -m bychance`."""

from __future__ import annotations

import sys

from bychance.errors import MissingExtraError, require

__all__ = ["main"]


def main() -> None:
    """Run the command line, or print which extra installs its packages if they are missing."""
    try:
        require("cli")
    except MissingExtraError as missing:
        sys.exit(f"bychance: {missing}")
    from bychance.cli import main as run

    run()


if __name__ == "__main__":
    main()
