// Numbered permutations of two samples, random or listed: row k of the first sample meets row pairing[k] of
// the second. Number s is the same whatever was asked for before it and by whichever thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/philox.hpp"
#include "core/shared_array.hpp"
#include "moments/cells.hpp"

namespace bychance {

class Permutations {
 public:
  static Permutations free(PhiloxKey key, std::size_t n);
  static Permutations within(PhiloxKey key, const std::int32_t* strata,
                             std::size_t n);                                    // rows of one stratum
  static Permutations blocks(PhiloxKey key, std::size_t n, std::size_t block);  // runs of `block` rows, whole
  static Permutations listed(SharedArray<std::int32_t> rows, std::size_t count, std::size_t n);

  std::size_t n() const { return n_; }
  void require_numbers(std::uint64_t first, std::size_t count) const;  // a list has an end

  using Scratch = std::vector<std::uint32_t>;

  // One after the other, in one scratch row.
  class Reader {
   public:
    explicit Reader(const Permutations& permutations);
    const std::int32_t* operator()(std::uint64_t number);  // until the next call

   private:
    const Permutations& of_;
    std::vector<std::int32_t> row_, order_;
    Scratch partners_;
  };

  // A random permutation is an order of what moves: of rows, when the order is the pairing, or of blocks.
  PhiloxKey key() const { return key_; }
  bool is_listed() const { return rows_.data != nullptr; }
  bool has_blocks() const { return block_ > 1; }
  std::size_t n_moving() const { return has_blocks() ? (n_ + block_ - 1) / block_ : n_; }
  bool is_free() const { return !is_listed() && !has_blocks() && starts_.empty(); }
  void shuffled(std::uint64_t number, std::int32_t* order, Scratch& partners) const;
  void lay_out(const std::int32_t* order, std::int32_t* pairing) const;

  // Picks two places of an order that may trade what they hold; twice the same one if nothing else may. A
  // quarter of the picks has one of the favored rows, if there are any: those on which a value hangs.
  class Swaps {
   public:
    explicit Swaps(const Permutations& permutations, const std::vector<std::int32_t>& favored = {});

    std::pair<std::size_t, std::size_t> operator()(DrawStream& stream) const {
      const std::size_t first = pick(stream);
      if (stratum_of_.empty()) return {first, other(first, 0, n_moving_, stream)};
      const std::size_t stratum = stratum_of_[first];
      const std::size_t second = other(first, starts_[stratum], starts_[stratum + 1], stream);
      return {static_cast<std::size_t>(members_[first]), static_cast<std::size_t>(members_[second])};
    }

    // Picks `count` pairs of places at once; both arrays have room for kMostPerWord more.
    static constexpr std::size_t kMostPerWord = 4;
    void draw(DrawStream& stream, std::size_t count, std::uint32_t* first, std::uint32_t* second) const;

   private:
    std::size_t pick(DrawStream& stream) const {
      const std::uint32_t drawn = stream.below(static_cast<std::uint32_t>(n_picks_));
      return picks_.empty() ? drawn : picks_[drawn];
    }
    static std::size_t other(std::size_t place, std::size_t begin, std::size_t end, DrawStream& stream) {
      if (end - begin < 2) return place;
      const std::size_t drawn = begin + stream.below(static_cast<std::uint32_t>(end - begin - 1));
      return drawn + static_cast<std::size_t>(drawn >= place);
    }

    std::size_t n_moving_;
    const std::int32_t* members_;
    const std::size_t* starts_;
    std::vector<std::uint32_t> stratum_of_;  // of each member; empty: one stratum
    std::size_t n_picks_;
    std::vector<std::uint32_t> picks_;  // every member, and the favored ones again; empty: one of all alike
    std::size_t per_word_ = 0;          // swaps that one word makes, as partners.cpp says; 0: none does
    std::uint64_t threshold_ = 0;
  };

 private:
  explicit Permutations(std::size_t n);

  std::size_t n_;
  PhiloxKey key_{0, 0};
  std::size_t block_ = 1;
  std::vector<std::int32_t> members_;  // positions sorted by stratum; empty: one stratum of all rows
  std::vector<std::size_t> starts_;    // where each stratum begins in members, and the end
  SharedArray<std::int32_t> rows_;     // count × n
  std::size_t count_ = 0;
};

// Every distinct arrangement of a sample with ties, each equally likely, in lexicographic order of the codes,
// which are 0 or more: rows of indices like the permutations above.
class Arrangements {
 public:
  Arrangements(const std::int32_t* codes, std::size_t n) : current_(codes, codes + n) {
    std::sort(current_.begin(), current_.end());
    if (n > 0 && current_[0] < 0) throw std::invalid_argument("codes must be >= 0");
    places_ = RowsByLabel(codes, n, n == 0 ? 0 : static_cast<std::size_t>(current_.back()) + 1);
  }

  std::size_t n() const { return current_.size(); }

  // Writes up to `capacity` rows of n(); returns how many, 0 at the end.
  std::size_t next(std::size_t capacity, std::int32_t* out) {
    std::size_t written = 0;
    for (; written < capacity && !is_done_; ++written) {
      next_ = places_.starts;
      for (const std::int32_t code : current_) {
        *out++ = places_.order[next_[code]++];
      }
      is_done_ = !std::next_permutation(current_.begin(), current_.end());
    }
    return written;
  }

 private:
  std::vector<std::int32_t> current_;
  RowsByLabel places_;             // of each code, in order
  std::vector<std::size_t> next_;  // of its places, while a row is written
  bool is_done_ = false;
};

}  // namespace bychance
