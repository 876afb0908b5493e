#include "text/distinct.hpp"

#include <cstring>

namespace bychance {
namespace {

constexpr std::size_t kFirstSlots = 256;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

std::uint64_t hash_of(const std::uint8_t* row, std::size_t width) {
  std::uint64_t hash = width, word = 0;
  for (; width >= sizeof word; row += sizeof word, width -= sizeof word) {
    std::memcpy(&word, row, sizeof word);
    hash = mixed(hash, word);
  }
  word = 0;
  std::memcpy(&word, row, width);
  return mixed(hash, word);
}

class Slots {
 public:
  Slots() : numbers_(kFirstSlots, 0) {}

  // The slot of the first distinct row with this hash that `is_alike` holds of, or the free one for it.
  template <class IsAlike>
  std::int32_t& at(std::uint64_t hash, IsAlike is_alike) {
    std::size_t slot = hash & (numbers_.size() - 1);
    while (numbers_[slot] != 0 && !(hashes_[numbers_[slot] - 1] == hash && is_alike(numbers_[slot] - 1))) {
      slot = (slot + 1) & (numbers_.size() - 1);
    }
    return numbers_[slot];
  }

  void add(std::int32_t& free, std::uint64_t hash) {
    hashes_.push_back(hash);
    free = static_cast<std::int32_t>(hashes_.size());
    if (2 * hashes_.size() > numbers_.size()) grow();
  }

 private:
  void grow() {
    numbers_.assign(4 * numbers_.size(), 0);
    std::int32_t number = 0;
    for (const std::uint64_t hash : hashes_) at(hash, [](std::int32_t) { return false; }) = ++number;
  }

  std::vector<std::int32_t> numbers_;
  std::vector<std::uint64_t> hashes_;  // of each distinct row
};

}  // namespace

DistinctRows distinct_rows(const std::uint8_t* bytes, std::size_t n_rows, std::size_t width) {
  DistinctRows found;
  found.codes.reserve(n_rows);
  Slots slots;
  for (std::size_t k = 0; k < n_rows; ++k) {
    const std::uint8_t* row = bytes + k * width;
    const std::uint64_t hash = hash_of(row, width);
    std::int32_t& number = slots.at(hash, [&](std::int32_t other) {
      return std::memcmp(row, bytes + static_cast<std::size_t>(found.first[other]) * width, width) == 0;
    });
    const bool is_new = number == 0;
    found.codes.push_back(is_new ? static_cast<std::int32_t>(found.first.size()) : number - 1);
    if (is_new) {
      found.first.push_back(static_cast<std::int64_t>(k));
      slots.add(number, hash);
    }
  }
  return found;
}

}  // namespace bychance
