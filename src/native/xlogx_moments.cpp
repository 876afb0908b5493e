#include "xlogx_moments.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

namespace bychance {
namespace {

// Probabilities below this, relative to the mode, are left out: they change no digit of the sums.
constexpr double kNegligible = 1e-22;

struct DistinctTotals {
  std::vector<std::int64_t> values;
  std::vector<double> counts;

  explicit DistinctTotals(const std::vector<std::int64_t>& totals) {
    std::map<std::int64_t, double> tally;
    for (const std::int64_t total : totals) ++tally[total];
    for (const auto& [value, count] : tally) {
      values.push_back(value);
      counts.push_back(count);
    }
  }
  std::size_t size() const { return values.size(); }
};

// The law of the marked among `drawn` from `population` with `marked`: outward from the mode by ratios of
// neighboring terms, then divided by its sum, so that no log-gamma enters.
struct Hypergeometric {
  std::int64_t first = 0;
  std::vector<double> p;

  void set(std::int64_t population, std::int64_t marked, std::int64_t drawn) {
    const std::int64_t low = std::max<std::int64_t>(0, drawn + marked - population);
    const std::int64_t high = std::min(marked, drawn);
    const double mode_at = (static_cast<double>(drawn) + 1) * (static_cast<double>(marked) + 1) /
                           (static_cast<double>(population) + 2);
    const std::int64_t mode = std::min(high, std::max(low, static_cast<std::int64_t>(mode_at)));
    const double N = static_cast<double>(population), K = static_cast<double>(marked),
                 s = static_cast<double>(drawn);
    downward_.clear();
    double sum = 1, term = 1;
    for (std::int64_t m = mode; m > low; --m) {
      const auto x = static_cast<double>(m);
      term *= x * (N - K - s + x) / ((K - x + 1) * (s - x + 1));
      if (term < kNegligible) break;
      downward_.push_back(term);
      sum += term;
    }
    first = mode - static_cast<std::int64_t>(downward_.size());
    p.assign(downward_.rbegin(), downward_.rend());
    p.push_back(1);
    term = 1;
    for (std::int64_t m = mode; m < high; ++m) {
      const auto x = static_cast<double>(m);
      term *= (K - x) * (s - x) / ((x + 1) * (N - K - s + x + 1));
      if (term < kNegligible) break;
      p.push_back(term);
      sum += term;
    }
    for (double& value : p) value /= sum;
  }

  double expect(const std::vector<double>& f) const {
    double total = 0;
    for (std::size_t i = 0; i < p.size(); ++i) total += p[i] * f[static_cast<std::size_t>(first) + i];
    return total;
  }

 private:
  std::vector<double> downward_;
};

std::vector<double> xlogx_table(std::int64_t n) {
  std::vector<double> table(static_cast<std::size_t>(n) + 1, 0.0);
  for (std::int64_t m = 2; m <= n; ++m) {
    table[static_cast<std::size_t>(m)] = static_cast<double>(m) * std::log(static_cast<double>(m));
  }
  return table;
}

std::int64_t sum_of(const std::vector<std::int64_t>& totals) {
  return std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
}

double width_of(double population, double marked, double drawn) {
  const double share = marked / population;
  const double spread = std::sqrt(drawn * share * (1 - share)) + 1;
  return std::min(std::min(marked, drawn) + 1, 20 * spread);
}

// For each distinct column total b: s -> expected sum over the other columns of a row with s points there.
// Only the arguments s = a - m that some window of (a, b) reaches are filled in.
class OtherCells {
 public:
  OtherCells(const DistinctTotals& own, const DistinctTotals& across, std::int64_t n,
             const std::vector<double>& f)
      : sums_(own.size()) {
    const std::int64_t max_across = across.values.back();
    Hypergeometric law;
    for (std::size_t v = 0; v < own.size(); ++v) {
      const std::int64_t b = own.values[v];
      std::vector<char> is_needed(static_cast<std::size_t>(max_across) + 1, 0);
      for (const std::int64_t a : across.values) {
        law.set(n, b, a);
        for (std::size_t i = 0; i < law.p.size(); ++i) {
          is_needed[static_cast<std::size_t>(a - law.first) - i] = 1;
        }
      }
      sums_[v].assign(is_needed.size(), 0.0);
      for (std::size_t s = 0; s < is_needed.size(); ++s) {
        if (!is_needed[s]) continue;
        double total = 0;
        for (std::size_t w = 0; w < own.size(); ++w) {
          const double count = own.counts[w] - (w == v ? 1 : 0);
          if (count == 0) continue;
          law.set(n - b, own.values[w], static_cast<std::int64_t>(s));
          total += count * law.expect(f);
        }
        sums_[v][s] = total;
      }
    }
  }

  static double cost(const DistinctTotals& own, const DistinctTotals& across, std::int64_t n) {
    const auto population = static_cast<double>(n), widest = static_cast<double>(across.values.back());
    double total = 0;
    for (const std::int64_t b : own.values) {
      double arguments = 0, widths = 0;
      for (const std::int64_t a : across.values) {
        arguments += width_of(population, static_cast<double>(b), static_cast<double>(a));
      }
      for (const std::int64_t w : own.values) {
        widths += width_of(population - static_cast<double>(b) + 1, static_cast<double>(w), widest);
      }
      total += std::min(arguments, widest + 1) * widths;
    }
    return total;
  }

  double at(std::size_t v, std::int64_t s) const { return sums_[v][static_cast<std::size_t>(s)]; }

 private:
  std::vector<std::vector<double>> sums_;
};

}  // namespace

double xlogx_mean(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns) {
  const std::int64_t n = sum_of(rows);
  const DistinctTotals a(rows), b(columns);
  const std::vector<double> f = xlogx_table(std::min(a.values.back(), b.values.back()));
  Hypergeometric law;
  double total = 0;
  for (std::size_t u = 0; u < a.size(); ++u) {
    for (std::size_t v = 0; v < b.size(); ++v) {
      law.set(n, b.values[v], a.values[u]);
      total += a.counts[u] * b.counts[v] * law.expect(f);
    }
  }
  return total;
}

double xlogx_variance(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                      double max_operations) {
  const std::int64_t n = sum_of(rows);
  const DistinctTotals a(rows), b(columns);
  const double cost = OtherCells::cost(b, a, n) + OtherCells::cost(a, b, n);
  if (cost > max_operations) {
    throw std::length_error("the variance needs about " + std::to_string(static_cast<long long>(cost)) +
                            " operations");
  }
  const std::vector<double> f = xlogx_table(std::max(a.values.back(), b.values.back()));
  const OtherCells along_row(b, a, n, f), along_column(a, b, n, f);

  Hypergeometric law;
  std::vector<double> row_mean(a.size(), 0.0), column_mean(b.size(), 0.0);
  for (std::size_t u = 0; u < a.size(); ++u) {
    for (std::size_t v = 0; v < b.size(); ++v) {
      law.set(n, b.values[v], a.values[u]);
      const double mean = law.expect(f);
      row_mean[u] += b.counts[v] * mean;
      column_mean[v] += a.counts[u] * mean;
    }
  }
  double variance = 0;
  for (std::size_t u = 0; u < a.size(); ++u) {
    for (std::size_t v = 0; v < b.size(); ++v) {
      law.set(n, b.values[v], a.values[u]);
      double covariance = 0;
      for (std::size_t i = 0; i < law.p.size(); ++i) {
        const std::int64_t m = law.first + static_cast<std::int64_t>(i);
        const double cell = f[static_cast<std::size_t>(m)];
        covariance += law.p[i] * (cell + along_row.at(v, a.values[u] - m) - row_mean[u]) *
                      (cell + along_column.at(u, b.values[v] - m) - column_mean[v]);
      }
      variance += a.counts[u] * b.counts[v] * covariance;
    }
  }
  return variance;
}

}  // namespace bychance
