// The distinct numbers of a column, ascending, in three quarters of the memory: neighbors share the first
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

class SortedNumbers {
 public:
  void assign(const double* numbers, std::size_t n);

  std::size_t size() const { return low_.size(); }
  double operator[](std::size_t k) const;
  // How many are no larger.
  std::size_t n_up_to(double x) const;

 private:
  static constexpr std::size_t kBlock = 64;
  // The high halves of a block's numbers are `high` and up to 16 bits; otherwise its numbers lie in exact_.
  struct Block {
    std::uint32_t high;
    std::uint32_t first_exact;
    bool is_exact;
  };

  std::vector<Block> blocks_;
  std::vector<std::uint32_t> low_;   // half of each number
  std::vector<std::uint16_t> high_;  // the rest of the other
  std::vector<double> exact_;
};

}  // namespace bychance
