// The rows of a node parted among the children of its split, in place and in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"

namespace bychance {

struct PartedRows {
  std::vector<std::size_t> starts;  // per child, and the end
  std::vector<std::int32_t> codes;  // multiway: the category of each child, ascending
  std::size_t missing_child = 0;
};

// The criterion's Tally is told of every row.
template <class Tally>
class Partition {
 public:
  // Rows without the value follow the heaviest child, or the one where the gain is best with them.
  Partition(const TreeColumns& data, bool is_missing_best);

  const PartedRows& by_cut(const TreeColumn& column, std::uint32_t last_left, std::uint32_t* rows,
                           std::size_t n);
  const PartedRows& by_category(const TreeColumn& column, std::uint32_t* rows, std::size_t n);

  Tally& tally() { return tally_; }

 private:
  template <class Key>
  void whole_in_two(const Key* keys, std::uint32_t first_right, std::uint32_t* rows, std::size_t n);
  template <class Key>
  void list_codes(const Key* keys, const TreeColumn& column, const std::uint32_t* rows, std::size_t n);
  template <class Key, class ChildOf>
  void part(const Key* keys, const TreeColumn& column, std::uint32_t* rows, std::size_t n, ChildOf child_of);

  const TreeColumns& data_;
  const bool is_missing_best_;
  Tally tally_;
  PartedRows out_;
  std::vector<std::uint32_t> child_of_code_;  // by category, valid for those listed
  std::vector<std::uint8_t> is_listed_;
  std::vector<std::uint32_t> child_of_row_, scratch_;
  std::vector<std::size_t> places_;
};

}  // namespace bychance
