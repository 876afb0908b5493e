"""Notes as lines: what is said of several columns is said once, and nothing is lost."""

from __future__ import annotations

from bychance.table import Note
from bychance.table.note_lines import note_lines


def test_notes_that_say_the_same_are_one_line_where_the_first_stood():
    notes = [
        Note("a", "numbers in $"),
        Note(None, "Quotes are no part of the name."),
        Note("b", "numbers in €"),
        Note("c", "numbers in $"),
    ]

    assert note_lines(notes) == [
        "'a', 'c': numbers in $",
        "Quotes are no part of the name.",
        "'b': numbers in €",
    ]


def test_a_column_that_is_set_aside_is_not_mixed_with_one_that_is_used():
    notes = [Note("a", "text"), Note("b", "text", is_set_aside=True), Note("c", "text", is_set_aside=True)]

    assert note_lines(notes) == ["'a': text", "'b', 'c' were set aside: text"]


def test_advice_that_differs_by_more_than_the_own_name_stays_apart():
    notes = [Note("a", "merge=['a'] takes 'x', 'X' as one"), Note("b", "merge=['b'] takes 'y', 'Y' as one")]

    assert note_lines(notes) == [str(note) for note in notes]


def test_many_columns_are_counted_unless_all_are_asked_for():
    notes = [Note(f"c{k}", f"codes; numeric=['c{k}'] reads numbers") for k in range(5)]

    assert note_lines(notes, 2) == ["'c0', 'c1', … (5 columns): codes; numeric=['c0', 'c1', …] reads numbers"]
    assert note_lines(notes, 5) == note_lines(notes)
    assert "'c4'" in note_lines(notes)[0]


def test_names_cannot_steer_a_terminal():
    assert not any("\x1b" in line for line in note_lines([Note("a\x1b[2J", "text"), Note(None, "b\x1b[2J")]))
