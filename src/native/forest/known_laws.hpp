// Laws of small nodes, which trees ask for over and over, as far as they have been asked for.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace bychance {

// Of all orders, those that gain more and those that gain as much.
struct Shares {
  double larger, equal;
};

// With the score that is reported, once somebody has asked for it.
struct Law {
  Shares shares{0, 0};
  double score = std::numeric_limits<double>::quiet_NaN();

  bool is_known() const { return shares.larger + shares.equal > 0; }
  bool has_score() const { return !std::isnan(score); }
};

// Of splits fixed in advance: by n rows, b of the rarer class, m in the smaller child and x of the former
// among the latter.
class KnownSplits {
 public:
  static constexpr std::size_t kMostRows = 24;

  Law& at(std::size_t n, std::size_t b, std::size_t m, std::size_t x) {
    if (laws_.empty()) laws_.resize(start_of(kMostRows + 1));
    const std::size_t half = n / 2 + 1;
    return laws_[start_of(n) + (b * half + m) * half + x];
  }

 private:
  // The sum of the cubes of 1, 1, 2, 2, 3, …: two numbers of rows have as many halves.
  static constexpr std::size_t start_of(std::size_t n) {
    const std::size_t half = n / 2, sum = half * (half + 1) / 2, cube = (half + 1) * (half + 1) * (half + 1);
    return 2 * sum * sum + (n % 2 ? cube : 0);
  }

  std::vector<Law> laws_;
};

// Of what is searched for: a bounded memory, the last of those that share a place.
class KnownSearches {
 public:
  static constexpr double kMostRows = 64;

  // What a law depends on, to the last bit: the node, where the groups end, one bit each, and the gain of a
  // cut or the share of a category.
  struct Key {
    std::uint64_t node = 0, ends = 0, number = 0;

    Key() = default;
    Key(bool is_cut, double n, double b, std::uint64_t all_ends, double gain)
        : node(static_cast<std::uint64_t>(is_cut) << 32 | static_cast<std::uint32_t>(n) << 16 |
               static_cast<std::uint32_t>(b)),
          ends(all_ends) {
      std::memcpy(&number, &gain, sizeof number);
    }
    bool operator==(const Key& other) const {
      return node == other.node && ends == other.ends && number == other.number;
    }
  };

  // The law of this key, which `compute` makes where it is not there. Good until the next call.
  template <class Compute>
  Law& at(const Key& key, Compute compute) {
    if (entries_.empty()) entries_.resize(std::size_t{1} << kBits);
    Entry& entry = entries_[place_of(key)];
    if (!(entry.key == key)) entry = {key, {compute()}};
    return entry.law;
  }

 private:
  static constexpr unsigned kBits = 10;
  struct alignas(64) Entry {
    Key key;
    Law law;
  };

  static std::size_t place_of(const Key& key) {
    std::uint64_t word = key.node * 0x9E3779B97F4A7C15ULL ^ key.ends * 0xBF58476D1CE4E5B9ULL ^ key.number;
    word = (word ^ word >> 32) * 0x94D049BB133111EBULL;
    return static_cast<std::size_t>(word >> (64 - kBits));
  }

  std::vector<Entry> entries_;
};

}  // namespace bychance
