// Numbered permutations of n rows, random or listed: row k of x is paired with row pairing[k] of y.
// Permutation number s is a function of the key and s, whatever was drawn before and by whichever thread.
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

// Sequence of permutations: of all rows, within strata, of blocks of rows, or from a list.
class Permutations {
 public:
  static Permutations free(PhiloxKey key, std::size_t n);
  static Permutations within(PhiloxKey key, const std::int32_t* strata,
                             std::size_t n);  // exchanges rows of one stratum
  static Permutations blocks(PhiloxKey key, std::size_t n, std::size_t block);  // moves whole runs of rows
  static Permutations listed(SharedArray<std::int32_t> rows, std::size_t count, std::size_t n);

  std::size_t n() const { return n_; }
  void require_numbers(std::uint64_t first, std::size_t count) const;  // throws beyond the end of a list

  using Scratch = std::vector<std::uint32_t>;

  // Computes one permutation after the other in one scratch row.
  class Reader {
   public:
    explicit Reader(const Permutations& permutations);
    const std::int32_t* operator()(std::uint64_t number);  // the pairing, valid until the next call

   private:
    const Permutations& of_;
    std::vector<std::int32_t> row_, order_;
    Scratch partners_;
  };

  // A random permutation is an order of the n_moving() things that move: of rows, in which case the order is
  // the pairing, or of blocks, from which lay_out makes the pairing.
  PhiloxKey key() const { return key_; }
  bool is_listed() const { return rows_.data != nullptr; }
  bool has_blocks() const { return block_ > 1; }
  std::size_t n_moving() const { return has_blocks() ? (n_ + block_ - 1) / block_ : n_; }
  bool is_free() const { return !is_listed() && !has_blocks() && starts_.empty(); }
  void shuffled(std::uint64_t number, std::int32_t* order, Scratch& partners) const;
  void lay_out(const std::int32_t* order, std::int32_t* pairing) const;

  // Random swaps: pairs of places of an order that may exchange their contents, twice the same place if no
  // other is allowed. A quarter of the swaps has a favored row, if any, on which the value mostly depends.
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

    // Draws `count` pairs of places into two arrays, which have room for kMostPerWord more.
    static constexpr std::size_t kMostPerWord = 4;  // swaps that one random 64-bit word can make
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
    std::vector<std::uint32_t> stratum_of_;  // stratum of each member, empty if there is one stratum
    std::size_t n_picks_;
    std::vector<std::uint32_t> picks_;  // every member, and favored ones again, empty if none is favored
    std::size_t per_word_ = 0;          // swaps made from one random word (partners.cpp), 0 if not possible
    std::uint64_t threshold_ = 0;
  };

 private:
  explicit Permutations(std::size_t n);

  std::size_t n_;
  PhiloxKey key_{0, 0};
  std::size_t block_ = 1;
  std::vector<std::int32_t> members_;  // rows sorted by stratum, empty if there is one stratum
  std::vector<std::size_t> starts_;    // position in members_ at which each stratum begins, and the end
  SharedArray<std::int32_t> rows_;     // listed pairings, count × n
  std::size_t count_ = 0;
};

// All distinct arrangements of a column with ties, given as codes of 0 or more. Each is one row of indices,
// like a pairing above, and all are equally likely. They come in lexicographic order of the codes.
class Arrangements {
 public:
  Arrangements(const std::int32_t* codes, std::size_t n) : current_(codes, codes + n) {
    std::sort(current_.begin(), current_.end());
    if (n > 0 && current_[0] < 0) throw std::invalid_argument("codes must be >= 0");
    places_ = RowsByLabel(codes, n, n == 0 ? 0 : static_cast<std::size_t>(current_.back()) + 1);
  }

  std::size_t n() const { return current_.size(); }

  // Writes up to `capacity` rows of n() indices, and returns the number of rows, 0 at the end.
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
  RowsByLabel places_;             // rows of each code, in order
  std::vector<std::size_t> next_;  // next row of each code, while an arrangement is written
  bool is_done_ = false;
};

}  // namespace bychance
