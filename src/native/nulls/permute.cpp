// Fisher-Yates shuffles of a counter-based stream; arrangements in lexicographic order.
#include "nulls/permute.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bychance {
namespace {

void shuffle(std::int32_t* values, std::size_t size, DrawStream& stream) {
  for (std::size_t i = size; i > 1; --i) {
    std::swap(values[i - 1], values[stream.below(static_cast<std::uint32_t>(i))]);
  }
}

void shuffle_strata(const PermutationScheme& scheme, DrawStream& stream, std::vector<std::int32_t>& scratch,
                    std::int32_t* row) {
  scratch = scheme.members;
  for (std::size_t s = 0; s + 1 < scheme.starts.size(); ++s) {
    const std::size_t begin = scheme.starts[s], end = scheme.starts[s + 1];
    shuffle(scratch.data() + begin, end - begin, stream);
    for (std::size_t k = begin; k < end; ++k) row[scheme.members[k]] = scratch[k];
  }
}

void shuffle_blocks(const PermutationScheme& scheme, DrawStream& stream, std::vector<std::int32_t>& scratch,
                    std::int32_t* row) {
  const std::size_t n_blocks = (scheme.n + scheme.block - 1) / scheme.block;
  scratch.resize(n_blocks);
  std::iota(scratch.begin(), scratch.end(), 0);
  shuffle(scratch.data(), n_blocks, stream);
  for (const std::int32_t b : scratch) {
    const std::size_t begin = static_cast<std::size_t>(b) * scheme.block;
    const std::size_t end = std::min(begin + scheme.block, scheme.n);
    for (std::size_t k = begin; k < end; ++k) *row++ = static_cast<std::int32_t>(k);
  }
}

}  // namespace

PermutationScheme PermutationScheme::free(std::size_t n) {
  PermutationScheme scheme;
  scheme.n = n;
  return scheme;
}

PermutationScheme PermutationScheme::within(const std::int32_t* strata, std::size_t n) {
  PermutationScheme scheme = free(n);
  scheme.members.resize(n);
  std::iota(scheme.members.begin(), scheme.members.end(), 0);
  std::stable_sort(scheme.members.begin(), scheme.members.end(),
                   [strata](std::int32_t a, std::int32_t b) { return strata[a] < strata[b]; });
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || strata[scheme.members[k]] != strata[scheme.members[k - 1]]) scheme.starts.push_back(k);
  }
  scheme.starts.push_back(n);
  return scheme;
}

PermutationScheme PermutationScheme::blocks(std::size_t n, std::size_t block) {
  if (block == 0) throw std::invalid_argument("block must be at least 1");
  PermutationScheme scheme = free(n);
  scheme.block = block;
  return scheme;
}

void random_permutations(const PermutationScheme& scheme, PhiloxKey key, std::uint64_t first,
                         std::size_t count, std::int32_t* out) {
  std::vector<std::int32_t> scratch;
  for (std::size_t s = 0; s < count; ++s) {
    DrawStream stream(key, first + s);
    std::int32_t* row = out + s * scheme.n;
    if (!scheme.starts.empty()) {
      shuffle_strata(scheme, stream, scratch, row);
    } else if (scheme.block > 1) {
      shuffle_blocks(scheme, stream, scratch, row);
    } else {
      std::iota(row, row + scheme.n, 0);
      shuffle(row, scheme.n, stream);
    }
  }
}

Arrangements::Arrangements(const std::int32_t* codes, std::size_t n) : current_(codes, codes + n) {
  const std::int32_t n_codes = n == 0 ? 0 : 1 + *std::max_element(codes, codes + n);
  if (n > 0 && *std::min_element(codes, codes + n) < 0) throw std::invalid_argument("codes must be >= 0");
  first_.assign(static_cast<std::size_t>(n_codes) + 1, 0);
  for (std::size_t k = 0; k < n; ++k) ++first_[static_cast<std::size_t>(codes[k]) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  used_.assign(static_cast<std::size_t>(n_codes), 0);
  positions_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto code = static_cast<std::size_t>(codes[k]);
    positions_[first_[code] + used_[code]++] = static_cast<std::int32_t>(k);
  }
  std::sort(current_.begin(), current_.end());
}

std::size_t Arrangements::next(std::size_t capacity, std::int32_t* out) {
  const std::size_t n = current_.size();
  std::size_t written = 0;
  while (written < capacity && !is_done_) {
    std::fill(used_.begin(), used_.end(), 0);
    for (std::size_t k = 0; k < n; ++k) {
      const auto code = static_cast<std::size_t>(current_[k]);
      out[written * n + k] = positions_[first_[code] + used_[code]++];
    }
    ++written;
    is_done_ = !std::next_permutation(current_.begin(), current_.end());
  }
  return written;
}

}  // namespace bychance
