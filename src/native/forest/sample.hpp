// Which rows a tree is grown on, which order its categories, and which it never sees: a function of the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nulls/philox.hpp"

namespace bychance {

enum Role : std::uint8_t { kGrow = 0, kOrder = 1, kOutOfBag = 2 };

// Streams of a tree's key.
constexpr std::uint64_t kRowStream = 0, kFeatureStream = 1;

struct Sample {
  std::size_t n_rows = 0;
  std::size_t n_grow = 0;
  std::size_t n_order = 0;
  bool bootstrap = false;  // n_grow rows with replacement; the other roles come from the rows not drawn
  PhiloxKey key{0, 0};
};

struct SampledRows {
  std::vector<std::uint8_t> roles;         // one per row of the table
  std::vector<std::uint32_t> repetitions;  // bootstrap: how often a row was drawn; empty otherwise
};

SampledRows sample_rows(const Sample& sample);

// The rows that have this role, ascending.
std::vector<std::uint32_t> rows_of_role(const SampledRows& sampled, Role role);

}  // namespace bychance
