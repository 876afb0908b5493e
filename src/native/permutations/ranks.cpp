// Kendall by a counting tree, the law of S by convolution.
#include "permutations/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

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
  const auto size = static_cast<std::int64_t>(ranks.size());
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < size; ++k) sum += ranks[k] * (2 * k - size + 1);
  return 2.0 * static_cast<double>(sum) / static_cast<double>(size);
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
  return static_cast<double>(sum) / (static_cast<double>(first.size()) * static_cast<double>(second.size()));
}

// Law of the Mann-Whitney count for samples of sizes m and t, by the recurrence of Gaussian binomials.
std::vector<double> mann_whitney_law(std::size_t m, std::size_t t) {
  // laws[j] is the law for sizes (i, j); one more row i mixes laws[j-1] (new largest is from the second
  // sample, adding i) with the law of (i-1, j).
  std::vector<std::vector<double>> laws(t + 1, std::vector<double>{1.0});
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t j = 1; j <= t; ++j) {
      const double total = static_cast<double>(i + j);
      const double from_first = static_cast<double>(i) / total, from_second = static_cast<double>(j) / total;
      std::vector<double> law(i * j + 1, 0.0);
      for (std::size_t u = 0; u < laws[j].size(); ++u) law[u] += from_first * laws[j][u];
      for (std::size_t u = 0; u < laws[j - 1].size(); ++u) law[u + i] += from_second * laws[j - 1][u];
      laws[j] = std::move(law);
    }
  }
  return laws[t];
}

std::vector<double> convolve(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  }
  return out;
}

// Convolution with the uniform law on 0..width-1. The law is symmetric, so only its lower half is summed
// (where differences of running sums keep their digits) and mirrored.
std::vector<double> convolve_uniform(const std::vector<double>& law, std::size_t width) {
  std::vector<double> out(law.size() + width - 1, 0.0);
  double window = 0;
  for (std::size_t u = 0; u <= (out.size() - 1) / 2; ++u) {
    if (u < law.size()) window += law[u];
    if (u >= width) window -= law[u - width];
    out[u] = window / static_cast<double>(width);
  }
  for (std::size_t u = 0; u < out.size() / 2; ++u) out[out.size() - 1 - u] = out[u];
  return out;
}

class KendallEvaluator : public Evaluator {
 public:
  KendallEvaluator(const TiedOrder& x, const Held<std::int32_t>& y_codes, std::size_t n_codes)
      : x_(x), y_codes_(y_codes.data), seen_(n_codes) {}

  double sum(const std::int32_t* pairing) override {
    seen_.clear();
    std::int64_t total = 0, n_seen = 0;
    std::size_t begin = 0;
    for (const std::int64_t size : x_.tie_groups) {
      const std::size_t end = begin + static_cast<std::size_t>(size);
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t code = code_of(k, pairing);
        total += seen_.below(code) - (n_seen - seen_.below(code + 1));
      }
      for (std::size_t k = begin; k < end; ++k) seen_.add(code_of(k, pairing));
      n_seen += size;
      begin = end;
    }
    return static_cast<double>(total);
  }

 private:
  std::size_t code_of(std::size_t k, const std::int32_t* pairing) const {
    return static_cast<std::size_t>(y_codes_[pairing[x_.order[k]]]);
  }

  const TiedOrder& x_;
  const std::int32_t* y_codes_;
  CountTree seen_;
};

class StepEvaluator : public Evaluator {
 public:
  StepEvaluator(const TiedOrder& x, const Held<std::int32_t>& y_ranks) : x_(x), y_ranks_(y_ranks.data) {}

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
    return static_cast<double>(sum);
  }

  double tied(const std::int32_t* pairing) {
    double total = 0;
    std::size_t begin = 0;
    for (const std::int64_t size : x_.tie_groups) {
      const std::size_t end = begin + static_cast<std::size_t>(size);
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

}  // namespace

std::unique_ptr<Evaluator> KendallSum::evaluator() const {
  return std::make_unique<KendallEvaluator>(x_, y_codes_, n_codes_);
}

std::vector<double> kendall_law(const std::int64_t* tie_groups, std::size_t n_groups) {
  std::vector<double> law{1.0};
  std::size_t placed = 0;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const auto size = static_cast<std::size_t>(tie_groups[g]);
    if (size == 1) {
      law = convolve_uniform(law, placed + 1);
    } else if (placed > 0) {
      law = convolve(law, mann_whitney_law(placed, size));
    }
    placed += size;
  }
  return law;
}

std::unique_ptr<Evaluator> RankSteps::evaluator() const {
  return std::make_unique<StepEvaluator>(x_, y_ranks_);
}

}  // namespace bychance
