// Products of ratios.
#include "forest/hypergeometric.hpp"

namespace bychance {

void Hypergeometric::set(double n, double b) {
  n_ = n, b_ = b;
  for (Chances& chances : kept_) chances.m_ = -1;
  none_.assign(1, 1.0);
}

Hypergeometric::Chances& Hypergeometric::of(double m) {
  Chances& chances = kept_[static_cast<std::size_t>(m) % kKept];
  if (chances.m_ == m) return chances;
  const double least = std::max(0.0, m + b_ - n_);
  chances.n_ = n_, chances.m_ = m, chances.b_ = b_;
  chances.least_ = static_cast<std::size_t>(least);
  chances.most_ = static_cast<std::size_t>(std::min(m, b_));
  chances.end_ = chances.least_ + 1;
  chances.chances_[chances.least_] = of_least(m, least == 0);
  return chances;
}

double Hypergeometric::of_least(double m, bool has_room) {
  double probability = 1;
  if (!has_room) {
    for (double i = 0; i < n_ - m; i += 1) probability *= (b_ - i) / (n_ - i);
  } else if (m > b_) {
    for (double i = 0; i < b_; i += 1) probability *= (n_ - m - i) / (n_ - i);
  } else {
    for (auto i = static_cast<double>(none_.size() - 1); i < m; i += 1) {
      none_.push_back(none_.back() * ((n_ - b_ - i) / (n_ - i)));
    }
    probability = none_[static_cast<std::size_t>(m)];
  }
  return probability;
}

void Hypergeometric::Chances::extend(std::size_t end) {
  double probability = chances_[end_ - 1];
  for (; end_ <= end; ++end_) {
    const auto x = static_cast<double>(end_ - 1);
    probability *= (m_ - x) * (b_ - x) / ((x + 1) * (n_ - m_ - b_ + x + 1));
    chances_[end_] = probability;
  }
}

}  // namespace bychance
