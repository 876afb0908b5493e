// Laws of small nodes, which trees ask for over and over: a bounded memory, the last of those that share a
// place.
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

  bool has_score() const { return !std::isnan(score); }
};

class KnownLaws {
 public:
  // What a law depends on, to the last bit.
  struct Key {
    std::uint64_t node, places, number;

    Key(std::uint64_t kind, double n, double b, std::uint64_t at, double of)
        : node(kind << 48 | static_cast<std::uint64_t>(n) << 24 | static_cast<std::uint64_t>(b)), places(at) {
      std::memcpy(&number, &of, sizeof number);
    }
    bool operator==(const Key& other) const {
      return node == other.node && places == other.places && number == other.number;
    }
  };

  KnownLaws() : entries_(kEntries) {}

  // The law of this key, which `compute` makes where it is not there. Good until the next call.
  template <class Compute>
  Law& at(const Key& key, Compute compute) {
    Entry& entry = entries_[place_of(key)];
    if (!(entry.key == key)) entry = {key, {compute()}};
    return entry.law;
  }

 private:
  static constexpr unsigned kBits = 12;
  static constexpr std::size_t kEntries = std::size_t{1} << kBits;
  struct alignas(64) Entry {
    Key key{0, 0, 0, 0, 0};  // of no node
    Law law;
  };

  static std::size_t place_of(const Key& key) {
    std::uint64_t word = key.node * 0x9E3779B97F4A7C15ULL ^ key.places * 0xBF58476D1CE4E5B9ULL ^ key.number;
    word = (word ^ word >> 32) * 0x94D049BB133111EBULL;
    return static_cast<std::size_t>(word >> (64 - kBits));
  }

  std::vector<Entry> entries_;
};

}  // namespace bychance
