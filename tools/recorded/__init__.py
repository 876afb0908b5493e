"""Recorded results: the figures of some 550 calls of the public interface, to compare later versions with.

    python -m tools.recorded write                 # anew, to tests/recorded/results.jsonl
    python -m tools.recorded compare [--part small]

`interface` is the only file with the present names of options. `data` and `tables` make the columns.
`pairs`, `rankings` and `forests` list calls of which figures are kept, `beyond`, `streams`, `arrays` and
`runs` calls of which every column, note and warning is kept. `figures` and `whole` turn a result into a line
of the file. `comparison` says per call whether two lines are equal bit for bit, agree to 1e-10, or differ.
"""
