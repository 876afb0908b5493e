// Kendall by a counting tree, rank steps by merged runs, products of distances by a tree of sums.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "core/arithmetic.hpp"
#include "permutations/statistics.hpp"

namespace bychance {
namespace {

class CountTree {  // Fenwick tree over codes 0..size-1
 public:
  explicit CountTree(std::size_t size) : tree_(size + 1, 0) {}
  void clear() { std::fill(tree_.begin(), tree_.end(), 0); }
  void add(std::size_t code) {
    for (std::size_t i = code + 1; i < tree_.size(); i += i & (~i + 1)) ++tree_[i];
  }
  std::int64_t below(std::size_t code) const {
    std::int64_t total = 0;
    for (std::size_t i = code; i > 0; i &= i - 1) total += tree_[i];
    return total;
  }

 private:
  std::vector<std::int64_t> tree_;
};

// Mean of |r_k - r_l| over all pairs in a sorted run, times (size - 1): the steps inside a tie group.
double steps_within(const std::vector<std::int64_t>& ranks) {
  const std::int64_t size = ranks.size();
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < size; ++k) sum += ranks[k] * (2 * k - size + 1);
  return 2.0 * sum / size;
}

// Mean of |r - s| over r in one sorted run and s in the next: the step between two tie groups.
double step_between(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second) {
  const std::int64_t total_first = std::accumulate(first.begin(), first.end(), std::int64_t{0});
  std::int64_t sum = 0, n_below = 0, sum_below = 0;
  for (const std::int64_t s : second) {
    while (n_below < static_cast<std::int64_t>(first.size()) && first[n_below] <= s) {
      sum_below += first[n_below++];
    }
    const std::int64_t n_above = static_cast<std::int64_t>(first.size()) - n_below;
    sum += n_below * s - sum_below + (total_first - sum_below) - n_above * s;
  }
  return sum / (first.size() * static_cast<double>(second.size()));
}

class KendallEvaluator : public Evaluator {
 public:
  KendallEvaluator(const TiedOrder& x, const Labels& y) : x_(x), y_codes_(y.codes.data), seen_(y.n_labels) {}

  double sum(const std::int32_t* pairing) override {
    seen_.clear();
    std::int64_t total = 0, n_seen = 0;
    std::size_t begin = 0;
    for (const std::int64_t size : x_.tie_groups) {
      const std::size_t end = begin + size;
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t code = code_of(k, pairing);
        total += seen_.below(code) - (n_seen - seen_.below(code + 1));
      }
      for (std::size_t k = begin; k < end; ++k) seen_.add(code_of(k, pairing));
      n_seen += size;
      begin = end;
    }
    return total;
  }

 private:
  std::size_t code_of(std::size_t k, const std::int32_t* pairing) const {
    return y_codes_[pairing[x_.order[k]]];
  }

  const TiedOrder& x_;
  const std::int32_t* y_codes_;
  CountTree seen_;
};

class StepEvaluator : public Evaluator {
 public:
  StepEvaluator(const TiedOrder& x, const SharedArray<std::int32_t>& y_ranks)
      : x_(x), y_ranks_(y_ranks.data) {}

  double sum(const std::int32_t* pairing) override {
    return x_.tie_groups.size == x_.order.size ? untied(pairing) : tied(pairing);
  }

 private:
  std::int32_t rank_of(std::size_t k, const std::int32_t* pairing) const {
    return y_ranks_[pairing[x_.order[k]]];
  }

  double untied(const std::int32_t* pairing) const {
    std::int64_t sum = 0;
    for (std::size_t k = 1; k < x_.order.size; ++k) {
      sum += std::abs(rank_of(k, pairing) - rank_of(k - 1, pairing));
    }
    return sum;
  }

  double tied(const std::int32_t* pairing) {
    double total = 0;
    std::size_t begin = 0;
    for (const std::int64_t size : x_.tie_groups) {
      const std::size_t end = begin + size;
      current_.clear();
      for (std::size_t k = begin; k < end; ++k) current_.push_back(rank_of(k, pairing));
      std::sort(current_.begin(), current_.end());
      total += steps_within(current_);
      if (begin > 0) total += step_between(previous_, current_);
      previous_.swap(current_);
      begin = end;
    }
    return total;
  }

  const TiedOrder& x_;
  const std::int32_t* y_ranks_;
  std::vector<std::int64_t> previous_, current_;
};

struct Sums {
  double n = 0, x = 0, y = 0, xy = 0;

  void add(const Sums& other) {
    n += other.n;
    x += other.x;
    y += other.y;
    xy += other.xy;
  }
};

double total_of(const SharedArray<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class DistanceStep {
 public:
  explicit DistanceStep(const DistanceProduct& of)
      : x_(of.x), y_(of.y), totals_(of.totals()), tree_(of.n() + 1), met_(of.n()) {}

  std::size_t steps() const { return met_.size(); }

  double sum(const std::int32_t* pairing) {
    const double n = met_.size();
    return products(pairing) - 2 / (n - 2) * row_products(pairing) + totals_ / ((n - 1) * (n - 2));
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) {
    const double *x = x_.values.data, *y = met_.data();
    const double xi = x[i], xj = x[j], yi = y[i], yj = y[j];
    const auto product = [=](std::size_t l) {
      return (std::abs(xi - x[l]) - std::abs(xj - x[l])) * (std::abs(yj - y[l]) - std::abs(yi - y[l]));
    };
    // The change if every distance changed, less the distance between rows i and j, twice.
    const double change = sum_in_lanes(met_.size(), product) + 2 * std::abs(xi - xj) * std::abs(yi - yj);
    first_ = i;
    second_ = j;
    const double rows =
        (x_.row_sums[i] - x_.row_sums[j]) * (y_.row_sums[pairing[j]] - y_.row_sums[pairing[i]]);
    return sum + 2 * change - 2 / (static_cast<double>(x_.values.size) - 2) * rows;
  }

  void settle(bool is_kept) {
    if (is_kept) std::swap(met_[first_], met_[second_]);
  }

 private:
  // Walking x upwards, the rows seen so far are split by y: sums of 1, x, y, xy below the current y (a
  // Fenwick tree over y's positions) and in all give sum_k (x_l - x_k)|y_l - y_k|. (Huo and Szekely 2016.)
  double products(const std::int32_t* pairing) {
    std::fill(tree_.begin(), tree_.end(), Sums{});
    Sums all;
    double total = 0;
    for (const std::int32_t here : x_.ranks) {
      const std::int32_t there = pairing[here];
      const double xl = x_.values[here], yl = met_[here] = y_.values[there];
      const Sums one{1, xl, yl, xl * yl};
      const std::size_t position = y_.ranks[there];
      Sums below;
      for (std::size_t i = position; i > 0; i &= i - 1) below.add(tree_[i]);
      const double n_signed = 2 * below.n - all.n, x_signed = 2 * below.x - all.x;
      const double y_signed = 2 * below.y - all.y, xy_signed = 2 * below.xy - all.xy;
      total += n_signed * one.xy - xl * y_signed - yl * x_signed + xy_signed;
      for (std::size_t i = position + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i].add(one);
      all.add(one);
    }
    return 2 * total;
  }

  double row_products(const std::int32_t* pairing) const {
    const double *x = x_.row_sums.data, *y = y_.row_sums.data;
    double sum0 = 0, sum1 = 0;
    std::size_t k = 0;
    for (; k + 1 < x_.row_sums.size; k += 2) {
      sum0 += x[k] * y[pairing[k]];
      sum1 += x[k + 1] * y[pairing[k + 1]];
    }
    if (k < x_.row_sums.size) sum0 += x[k] * y[pairing[k]];
    return sum0 + sum1;
  }

  const DistanceLine &x_, &y_;
  double totals_;
  std::vector<Sums> tree_;
  std::vector<double> met_;  // the value of y that each row meets
  std::size_t first_ = 0, second_ = 0;
};

}  // namespace

std::unique_ptr<Evaluator> KendallSum::evaluator() const {
  return std::make_unique<KendallEvaluator>(x_, y_);
}

std::unique_ptr<Evaluator> RankSteps::evaluator() const {
  return std::make_unique<StepEvaluator>(x_, y_ranks_);
}

double DistanceProduct::totals() const { return total_of(x.row_sums) * total_of(y.row_sums); }

std::unique_ptr<Evaluator> DistanceProduct::evaluator() const {
  return std::make_unique<WalkerBy<DistanceStep>>(DistanceStep(*this), finish());
}

std::unique_ptr<Walker> DistanceProduct::walker() const {
  // Sweeps take n² steps: beyond, evaluations in n log n are far cheaper.
  if (n() > 256) return nullptr;
  return std::make_unique<WalkerBy<DistanceStep>>(DistanceStep(*this), finish(),
                                                  outer_rows(x.row_sums.data, n()));
}

}  // namespace bychance
