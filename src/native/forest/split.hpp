// The best split of one column on the rows of a node, by its score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/philox.hpp"
#include "forest/columns.hpp"
#include "forest/criterion.hpp"

namespace bychance::forest {

constexpr double kTie = 1e-10;  // numbers that differ by no more are tied

// The first of the largest numbers, up to ties, or `last` if none is above `floor`.
inline std::size_t first_best(const double* values, std::size_t first, std::size_t last, double floor) {
  double most = floor;
  for (std::size_t k = first; k < last; ++k) most = values[k] > most ? values[k] : most;
  std::size_t found = first;
  while (found < last && !(values[found] > floor && values[found] >= most - kTie)) ++found;
  return found;
}

struct Candidate {
  bool is_constant = false;  // fewer than two values: no split at this node or below
  bool is_usable = false;
  std::size_t column = 0;
  std::int32_t n_children = 0;
  std::uint32_t low = 0, high = 0;                              // cuts: the codes on either side
  double threshold = std::numeric_limits<double>::quiet_NaN();  // of a random cut
  double gain = 0;
  double score = 0;  // minus infinity if the null has no spread
};

template <class Criterion>
class SplitSearch {
 public:
  SplitSearch(const TreeColumns& data, const SplitRules& rules);

  Criterion& criterion() { return criterion_; }

  // `null` is the null of all rows of the node, and `out` a new candidate, which may stay empty if its score
  // is below `reached`.
  void best(std::size_t column, const NodeRows& node, const NodeNull& null, double reached,
            DrawStream& stream, Candidate& out);

 private:
  void best_fair(const TreeColumn& column, const NodeRows& node, const NodeNull& null, double reached,
                 Candidate& out);
  CubeRootDistribution distribution_of(const TreeColumn& column, const NodeRows& node, const NodeNull& null,
                                       bool has_missingness);
  CubeRootDistribution distribution_of_rows(const NodeRows& node, const NodeNull& null);
  void best_of_kind(const TreeColumn& column, const NodeNull& null, double n, Candidate& out);
  std::size_t best_adjusted(const NodeNull& null, std::size_t gainful);
  std::size_t random_cut(const TreeColumn& column, std::size_t first, std::size_t last, Candidate& out);
  void list_cuts(const TreeColumn& column, double n, Candidate& out);
  void best_cut(const NodeNull& null, Candidate& out);
  void best_multiway(const NodeNull& null, double n, Candidate& out);
  double score(const NodeNull& null, double gain, double r, double reciprocals) const;
  bool is_adjusted() const { return rules_.score == Score::standardized || rules_.score == Score::adjusted; }
  double judged(double gain, double mean, double variance) const;
  double quantile(double mean, double variance) const;
  const double* rows_so_far() const {
    return data_.weights.empty() ? groups_->left.data() : groups_->rows.data();
  }

  const TreeColumns& data_;
  const SplitRules& rules_;
  Criterion criterion_;
  const NodeGroups* groups_ = nullptr;
  DrawStream* stream_ = nullptr;
  std::size_t first_ = 0, last_ = 0;  // the cuts that leave enough rows
  // Without ties the traces depend on the number of rows alone, and columns of a node share a distribution.
  // The last entry serves all larger numbers of rows.
  struct OfRows {
    std::size_t n = 0, node = 0;
    Traces traces;
    CubeRootDistribution distribution;
  };
  std::vector<OfRows> of_rows_;
  std::vector<double> gains_, reciprocals_, scores_;  // per cut; reciprocals are 1/(c (n-c))
};

}  // namespace bychance::forest
