"""Recorded results: the figures of some 300 calls of the public interface, to compare later versions with.

    python -m tools.recorded write                 # anew, to tests/recorded/results.jsonl
    python -m tools.recorded compare [--part small]

`interface` is the only file that knows how an option is spelled today, `data` makes the columns, `pairs`,
`rankings` and `forests` list the calls, `figures` turns a result into a line of the file, and `comparison`
says per call whether two lines are equal bit for bit, agree to 1e-10, or differ.
"""
