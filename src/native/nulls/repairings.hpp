// Numbered re-pairings of two samples, random or listed: row k of the first sample meets row pairing[k] of
// the second. Number s is the same whatever was asked for before it and by whichever thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nulls/held.hpp"
#include "nulls/philox.hpp"

namespace bychance {

class Repairings {
 public:
  static Repairings free(PhiloxKey key, std::size_t n);
  static Repairings within(PhiloxKey key, const std::int32_t* strata, std::size_t n);  // rows of one stratum
  static Repairings blocks(PhiloxKey key, std::size_t n, std::size_t block);  // runs of `block` rows, whole
  static Repairings listed(Held<std::int32_t> rows, std::size_t count, std::size_t n);

  std::size_t n() const { return n_; }
  void require_numbers(std::uint64_t first, std::size_t count) const;  // a list has an end

  // One after the other, in one scratch row.
  class Reader {
   public:
    explicit Reader(const Repairings& repairings);
    const std::int32_t* operator()(std::uint64_t number);  // until the next call

   private:
    void shuffle_strata(DrawStream& stream);
    void shuffle_blocks(DrawStream& stream);

    const Repairings& of_;
    std::vector<std::int32_t> row_, scratch_;
  };

 private:
  explicit Repairings(std::size_t n) : n_(n) {}

  std::size_t n_;
  PhiloxKey key_{0, 0};
  std::size_t block_ = 1;
  std::vector<std::int32_t> members_;  // positions sorted by stratum; empty: one stratum of all rows
  std::vector<std::size_t> starts_;    // where each stratum begins in members, and the end
  Held<std::int32_t> rows_;            // count × n
  std::size_t count_ = 0;
};

}  // namespace bychance
