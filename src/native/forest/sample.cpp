// Rows are drawn by a counter-based stream, so that a tree depends on its key alone.
#include "forest/sample.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bychance {
namespace {

// The first `count` places of `rows` become a random choice without replacement.
void choose_first(std::vector<std::uint32_t>& rows, std::size_t count, DrawStream& stream) {
  const auto n = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t k = 0; k < count; ++k) std::swap(rows[k], rows[k + stream.below(n - k)]);
}

void choose_without_replacement(const Sample& sample, DrawStream& stream, SampledRows& out) {
  std::vector<std::uint32_t> rows(sample.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  const std::size_t n_used = sample.n_grow + sample.n_order;
  choose_first(rows, n_used == sample.n_rows ? sample.n_grow : n_used, stream);
  for (std::size_t k = 0; k < n_used; ++k) out.roles[rows[k]] = k < sample.n_grow ? kGrow : kOrder;
}

void choose_with_replacement(const Sample& sample, DrawStream& stream, SampledRows& out) {
  out.repetitions.assign(sample.n_rows, 0);
  for (std::size_t k = 0; k < sample.n_grow; ++k) {
    ++out.repetitions[stream.below(static_cast<std::uint32_t>(sample.n_rows))];
  }
  std::vector<std::uint32_t> others;
  for (std::size_t row = 0; row < sample.n_rows; ++row) {
    if (out.repetitions[row] > 0) {
      out.roles[row] = kGrow;
    } else {
      others.push_back(static_cast<std::uint32_t>(row));
    }
  }
  const std::size_t n_order = std::min(sample.n_order, others.size());
  choose_first(others, n_order, stream);
  for (std::size_t k = 0; k < n_order; ++k) out.roles[others[k]] = kOrder;
}

}  // namespace

SampledRows sample_rows(const Sample& sample) {
  SampledRows out;
  out.roles.assign(sample.n_rows, kOutOfBag);
  DrawStream stream(sample.key, kRowStream);
  if (sample.bootstrap) {
    choose_with_replacement(sample, stream, out);
  } else {
    choose_without_replacement(sample, stream, out);
  }
  return out;
}

std::vector<std::uint32_t> rows_of_role(const SampledRows& sampled, Role role) {
  const std::size_t n = sampled.roles.size();
  std::vector<std::uint32_t> rows(n);
  std::size_t count = 0;
  for (std::size_t row = 0; row < n; ++row) {  // roles are random: nothing to foresee for a branch
    rows[count] = static_cast<std::uint32_t>(row);
    count += sampled.roles[row] == role;
  }
  rows.resize(count);
  return rows;
}

}  // namespace bychance
