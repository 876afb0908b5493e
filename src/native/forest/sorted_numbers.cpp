// Numbers as bits: their first half says sign, exponent and six digits.
#include "forest/sorted_numbers.hpp"

#include <algorithm>
#include <cstring>

namespace bychance {
namespace {

constexpr unsigned kHalf = 32;

std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

}  // namespace

void SortedNumbers::assign(const double* numbers, std::size_t n) {
  low_.resize(n), high_.resize(n);
  blocks_.clear(), exact_.clear();
  for (std::size_t start = 0; start < n; start += kBlock) {
    const std::size_t end = std::min(n, start + kBlock);
    std::uint32_t least = UINT32_MAX, most = 0;
    for (std::size_t k = start; k < end; ++k) {
      const auto high = static_cast<std::uint32_t>(bits_of(numbers[k]) >> kHalf);
      least = std::min(least, high), most = std::max(most, high);
    }
    const bool is_exact = most - least > UINT16_MAX;
    blocks_.push_back({least, static_cast<std::uint32_t>(exact_.size()), is_exact});
    if (is_exact) exact_.insert(exact_.end(), numbers + start, numbers + end);
    for (std::size_t k = start; k < end; ++k) {
      const std::uint64_t bits = bits_of(numbers[k]);
      low_[k] = static_cast<std::uint32_t>(bits);
      high_[k] = static_cast<std::uint16_t>((bits >> kHalf) - least);
    }
  }
  blocks_.shrink_to_fit(), exact_.shrink_to_fit();
}

double SortedNumbers::operator[](std::size_t k) const {
  const Block& block = blocks_[k / kBlock];
  if (block.is_exact) return exact_[block.first_exact + k % kBlock];
  const std::uint64_t bits = static_cast<std::uint64_t>(block.high + high_[k]) << kHalf | low_[k];
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

std::size_t SortedNumbers::n_up_to(double x) const {
  std::size_t first = 0, n = size();
  while (n > 0) {
    const std::size_t half = n / 2;
    if ((*this)[first + half] <= x) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

}  // namespace bychance
