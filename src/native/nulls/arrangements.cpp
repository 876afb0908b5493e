// The next permutation of the codes, each time.
#include "nulls/arrangements.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace bychance {

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
