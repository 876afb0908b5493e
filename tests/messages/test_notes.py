"""Notes carry codes, fields and a suggestion. Lines say once what is the same for several columns."""

from __future__ import annotations

import pickle

from bychance.io import read_table
from bychance.messages import KEEP_ALL_ROWS, OPEN, Code, Dialect, Note, Option, note_lines, remark


def in_unit(name, unit, **more):
    return Note(name, (remark(Code.IN_UNIT, unit=unit),), **more)


def codes(name):
    return Note(name, (remark(Code.CODES_PADDED, option=Option("numeric", (name,))),))


def alike(name, *labels):
    return Note(name, (remark(Code.LABELS_ALIKE, labels=labels, option=Option("merge", (name,))),))


def test_notes_that_say_the_same_are_one_line_where_the_first_stood():
    notes = [in_unit("a", "$"), Note.on_table(Code.NAME_MISSING), in_unit("b", "€"), in_unit("c", "$")]

    assert note_lines(notes) == [
        "'a', 'c': numbers in $",
        "There is one name less than values per row: the first has none.",
        "'b': numbers in €",
    ]


def test_a_column_that_is_set_aside_is_not_mixed_with_one_that_is_used():
    notes = [in_unit("a", "$"), *(in_unit(name, "$", is_set_aside=True) for name in "bc")]

    assert note_lines(notes) == ["'a': numbers in $", "'b', 'c' were set aside: numbers in $"]


def test_advice_that_differs_by_more_than_the_own_name_stays_apart():
    notes = [alike("a", "x", "X"), alike("b", "y", "Y")]

    assert note_lines(notes) == [str(note) for note in notes]


def test_a_cell_that_is_called_as_its_column_is_no_name_of_it():
    notes = [
        Note(name, (remark(Code.NUMBERS_AMONG_CATEGORIES, **counts, option=Option("missing", (name,))),))
        for name in "ab"
        for counts in [{"n_read": 9, "n_values": 10, "what": "numbers"}]
    ]

    assert len(note_lines(notes)) == 2


def test_many_columns_are_counted_unless_all_are_asked_for():
    notes = [codes(f"c{k}") for k in range(5)]

    assert note_lines(notes, 2) == [
        "'c0', 'c1', … (5 columns): codes padded with zeros, kept as categories; "
        "numeric=['c0', 'c1', …] reads numbers"
    ]
    assert note_lines(notes, 5) == note_lines(notes)
    assert "'c4'" in note_lines(notes)[0]


def test_lines_on_the_command_line_have_its_options():
    footnotes = Note.on_table(Code.FOOTNOTES_OF_FILES, n=2, option=KEEP_ALL_ROWS)
    notes = [codes("ZIP"), codes("SSN"), footnotes]

    assert note_lines(notes, dialect=Dialect.COMMAND_LINE) == [
        "'ZIP', 'SSN': codes padded with zeros, kept as categories; "
        "--numeric 'ZIP' --numeric 'SSN' reads numbers",
        "Footnotes of 2 files were left out; --no-header reads all rows as data.",
    ]


def test_names_cannot_steer_a_terminal():
    notes = [in_unit("a\x1b[2J", "$"), Note.on_table(Code.NAMES_JOINED, name="b\x1b[2J")]

    assert not any("\x1b" in line for line in note_lines(notes))


def test_a_note_of_a_table_has_its_code_its_fields_and_what_would_change_it():
    note = read_table({"dose": [*(f"{k}.5" for k in range(38)), "n.d.", "n.d."], "n": [1, 2] * 20}).notes[0]

    assert (note.code, note.column, note.is_set_aside) == (Code.MIXED, "dose", True)
    assert (note.values["n_read"], note.values["n_values"], note.values["cell"]) == (38, 40, "n.d.")
    assert note.suggestion == Option("missing", ("n.d.",))
    assert note.options[1] == Option("categorical", ("dose",))
    assert "mixed: 38 of 40" in note
    assert note.says(Code.IDENTIFIER, Code.MIXED)


def test_a_note_of_several_remarks_has_the_code_of_the_first():
    note = read_table({"cost": ["$1,200", "$80", "$7.50"] * 3}).notes[0]

    assert [told.code for told in note.remarks] == [Code.IN_UNIT, Code.THOUSANDS]
    assert note.code is Code.IN_UNIT
    assert note.suggestion is None
    assert note.values == {"unit": "$", "mark": "comma"}


def test_notes_are_the_same_in_another_process():
    note = Note.on_table(Code.OTHER_SHEETS, n=2, sheets=("B",), option=Option("sheet", OPEN))

    assert pickle.loads(pickle.dumps(note)) == note
    assert {note: 1}[note] == 1
