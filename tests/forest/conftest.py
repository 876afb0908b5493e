"""Fixtures of the forest's tests."""

from __future__ import annotations

import pytest

from tests.forest.frames import LIBRARIES


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param
