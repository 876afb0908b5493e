// Where rows without a value join, class totals decide.
#include "forest/class_tally.hpp"

#include <algorithm>

namespace bychance {

void ClassTally::start(std::size_t n_children) {
  n_children_ = n_children;
  totals_.assign((n_children + 1) * n_classes_, 0.0);
}

// Joining m missing rows to a child changes the sum over children of (class weight)^2/size by
// (S + 2X + M)/(size + m) - S/size, X the product of the class weights, S and M their squares.
std::size_t ClassTally::child_for_missing(bool is_by_gain) const {
  const double* missing = of_child(n_children_);
  std::size_t best_child = 0;
  double best = 0, m = 0;
  for (std::size_t j = 0; j < n_classes_; ++j) m += missing[j];
  is_by_gain = is_by_gain && m > 0;
  for (std::size_t i = 0; i < n_children_; ++i) {
    double size = 0, squares = 0, joined = 0;
    for (std::size_t j = 0; j < n_classes_; ++j) {
      const double weight = totals_[i * n_classes_ + j];
      size += weight;
      squares += weight * weight;
      joined += (weight + missing[j]) * (weight + missing[j]);
    }
    const double merit = is_by_gain ? joined / (size + m) - squares / size : size;
    if (i == 0 || merit > best) {
      best = merit;
      best_child = i;
    }
  }
  return best_child;
}

void ClassTally::join_missing(std::size_t child) {
  const double* missing = of_child(n_children_);
  for (std::size_t j = 0; j < n_classes_; ++j) totals_[child * n_classes_ + j] += missing[j];
}

}  // namespace bychance
