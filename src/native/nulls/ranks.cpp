// Kendall by a counting tree, the law of S by convolution, distances by a tree of sums.
#include "nulls/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

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
  for (std::int64_t k = 0; k < size; ++k) sum += ranks[static_cast<std::size_t>(k)] * (2 * k - size + 1);
  return 2.0 * static_cast<double>(sum) / static_cast<double>(size);
}

// Mean of |r - s| over r in one sorted run and s in the next: the step between two tie groups.
double step_between(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second) {
  const std::int64_t total_first = std::accumulate(first.begin(), first.end(), std::int64_t{0});
  std::int64_t sum = 0, n_below = 0, sum_below = 0;
  for (const std::int64_t s : second) {
    while (n_below < static_cast<std::int64_t>(first.size()) &&
           first[static_cast<std::size_t>(n_below)] <= s) {
      sum_below += first[static_cast<std::size_t>(n_below++)];
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

}  // namespace

void kendall_s(TiedOrder x, const std::int32_t* y_codes, std::size_t n_codes, Permutations permutations,
               double* out) {
  const std::size_t n = permutations.n;
  CountTree seen(n_codes);
  for (std::size_t s = 0; s < permutations.count; ++s) {
    const std::int32_t* row = permutations.rows + s * n;
    seen.clear();
    std::int64_t total = 0, n_seen = 0;
    std::size_t begin = 0;
    for (std::size_t g = 0; g < x.n_groups; ++g) {
      const std::size_t end = begin + static_cast<std::size_t>(x.tie_groups[g]);
      for (std::size_t k = begin; k < end; ++k) {
        const auto code = static_cast<std::size_t>(y_codes[row[x.order[k]]]);
        total += seen.below(code) - (n_seen - seen.below(code + 1));
      }
      for (std::size_t k = begin; k < end; ++k) {
        seen.add(static_cast<std::size_t>(y_codes[row[x.order[k]]]));
      }
      n_seen += x.tie_groups[g];
      begin = end;
    }
    out[s] = static_cast<double>(total);
  }
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

void rank_steps(TiedOrder x, const std::int32_t* y_ranks, Permutations permutations, double* out) {
  const std::size_t n = permutations.n;
  const bool has_ties = x.n_groups < n;
  std::vector<std::int64_t> previous, current;
  for (std::size_t s = 0; s < permutations.count; ++s) {
    const std::int32_t* row = permutations.rows + s * n;
    if (!has_ties) {
      std::int64_t sum = 0;
      for (std::size_t k = 1; k < n; ++k) {
        sum += std::abs(y_ranks[row[x.order[k]]] - y_ranks[row[x.order[k - 1]]]);
      }
      out[s] = static_cast<double>(sum);
      continue;
    }
    double total = 0;
    std::size_t begin = 0;
    for (std::size_t g = 0; g < x.n_groups; ++g) {
      const std::size_t end = begin + static_cast<std::size_t>(x.tie_groups[g]);
      current.clear();
      for (std::size_t k = begin; k < end; ++k) current.push_back(y_ranks[row[x.order[k]]]);
      std::sort(current.begin(), current.end());
      total += steps_within(current);
      if (g > 0) total += step_between(previous, current);
      previous.swap(current);
      begin = end;
    }
    out[s] = total;
  }
}

void distance_products(const std::int32_t* x_order, const double* x, const std::int32_t* y_positions,
                       const double* y, Permutations permutations, double* out) {
  // Walking x upwards, the rows seen so far are split by y: sums of 1, x, y, xy below the current y (a
  // Fenwick tree over y's positions) and in all give sum_k (x_l - x_k)|y_l - y_k|. (Huo and Szekely 2016.)
  struct Sums {
    double n, x, y, xy;
  };
  const std::size_t n = permutations.n;
  std::vector<Sums> tree(n + 1);
  for (std::size_t s = 0; s < permutations.count; ++s) {
    const std::int32_t* row = permutations.rows + s * n;
    std::fill(tree.begin(), tree.end(), Sums{0, 0, 0, 0});
    Sums all{0, 0, 0, 0};
    double total = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::int32_t here = x_order[k], there = row[here];
      const double xl = x[here], yl = y[there], product = xl * yl;
      const auto position = static_cast<std::size_t>(y_positions[there]);
      Sums below{0, 0, 0, 0};
      for (std::size_t i = position; i > 0; i &= i - 1) {
        below.n += tree[i].n;
        below.x += tree[i].x;
        below.y += tree[i].y;
        below.xy += tree[i].xy;
      }
      const double n_signed = 2 * below.n - all.n, x_signed = 2 * below.x - all.x;
      const double y_signed = 2 * below.y - all.y, xy_signed = 2 * below.xy - all.xy;
      total += n_signed * product - xl * y_signed - yl * x_signed + xy_signed;
      for (std::size_t i = position + 1; i <= n; i += i & (~i + 1)) {
        tree[i].n += 1;
        tree[i].x += xl;
        tree[i].y += yl;
        tree[i].xy += product;
      }
      all.n += 1;
      all.x += xl;
      all.y += yl;
      all.xy += product;
    }
    out[s] = 2 * total;
  }
}

}  // namespace bychance
