// Out-of-bag gains less their permutation means, for classes and for numbers.
#include "forest/gain_cells.hpp"

#include <algorithm>

namespace bychance {

GainCells::GainCells(const Tree& tree, const Target& target)
    : target_(target),
      width_(target.is_of_numbers() ? 3 : target.n_classes),
      center_(target.is_of_numbers() ? tree.values.front() : 0),
      cells_(tree.n_nodes() * width_, 0.0),
      totals_(width_) {}

void GainCells::add(std::size_t node, std::size_t row) {
  double* cell = cells_.data() + node * width_;
  const double weight = target_.weight(row);
  if (!target_.is_of_numbers()) {
    cell[target_.classes[row]] += weight;
    return;
  }
  const double y = target_.numbers[row] - center_;
  cell[0] += weight;
  cell[1] += weight * y;
  cell[2] += weight * y * y;
}

double GainCells::excess(std::size_t first_child, std::size_t n_children) {
  const double* cells = cells_.data() + first_child * width_;
  return target_.is_of_numbers() ? excess_of_numbers(cells, n_children)
                                 : excess_of_classes(cells, n_children);
}

double GainCells::excess_of_classes(const double* cells, std::size_t n_children) {
  const std::size_t c = width_;
  std::fill(totals_.begin(), totals_.end(), 0.0);
  double quality = 0, n = 0, r = 0;
  for (std::size_t i = 0; i < n_children; ++i) {
    double size = 0, squares = 0;
    for (std::size_t j = 0; j < c; ++j) {
      const double cell = cells[i * c + j];
      size += cell;
      squares += cell * cell;
      totals_[j] += cell;
    }
    if (size > 0) quality += squares / size, n += size, r += 1;
  }
  if (n <= 1) return 0;
  double squares = 0;
  for (std::size_t j = 0; j < c; ++j) squares += totals_[j] * totals_[j];
  return quality - squares / n - (r - 1) / (n - 1) * (n - squares / n);
}

double GainCells::excess_of_numbers(const double* cells, std::size_t n_children) const {
  double quality = 0, n = 0, sum = 0, squares = 0, r = 0;
  for (const double* cell = cells; cell < cells + n_children * width_; cell += width_) {
    if (!(cell[0] > 0)) continue;
    quality += cell[1] * cell[1] / cell[0];
    n += cell[0];
    sum += cell[1];
    squares += cell[2];
    r += 1;
  }
  if (n <= 1) return 0;
  return quality - sum * sum / n - (r - 1) / (n - 1) * (squares - sum * sum / n);
}

}  // namespace bychance
