"""Lower bounds on true discoveries for tests: closed testing, joint permutations of a target."""

from __future__ import annotations

from bychance.ranking.closed_testing import Hull, Threshold
from bychance.ranking.joint_permutations import N_PERMUTATIONS, JointTests, joint_tests
from bychance.ranking.results import p_values_of_tests

__all__ = ["N_PERMUTATIONS", "Hull", "JointTests", "Threshold", "joint_tests", "p_values_of_tests"]
