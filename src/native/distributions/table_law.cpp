// A layer holds, for each remainder of the row totals, the law of the sum so far.
#include "distributions/table_law.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bychance {
namespace {

using Remaining = std::vector<std::int64_t>;
using Weighted = std::vector<std::pair<double, double>>;  // (value, probability)

struct Node {
  Weighted law;
  std::size_t n_merged = 0;  // size after the last merge
};
using Layer = std::map<Remaining, Node>;

// Sums of the same cells in another order differ in their last digits only; values this close are one.
constexpr double kSame = 1e-12, kSameOfLargest = 1e-15;

void merge_equal(Weighted& law) {
  std::sort(law.begin(), law.end());
  std::size_t last = 0;
  const double largest = law.empty() ? 0 : std::max(std::abs(law.front().first), std::abs(law.back().first));
  for (std::size_t k = 1; k < law.size(); ++k) {
    const double same = kSame * std::abs(law[last].first) + kSameOfLargest * largest;
    if (law[k].first - law[last].first <= same) {
      law[last].second += law[k].second;
    } else {
      law[++last] = law[k];
    }
  }
  if (!law.empty()) law.resize(last + 1);
}

// Logarithms of factorials, each with what rounding left of it: their differences keep all digits.
class LogFactorials {
 public:
  explicit LogFactorials(std::int64_t n) : values_(static_cast<std::size_t>(n) + 1) {
    for (std::size_t k = 2; k < values_.size(); ++k) {
      const auto [value, rest] = values_[k - 1];
      const double term = std::log(static_cast<double>(k)) + rest, sum = value + term;
      values_[k] = {sum, term - (sum - value)};
    }
  }

  double log_choose(std::int64_t n, std::int64_t k) const {
    const auto& all = at(n);
    const auto &chosen = at(k), &left = at(n - k);
    return all.first - chosen.first - left.first + (all.second - chosen.second - left.second);
  }

 private:
  const std::pair<double, double>& at(std::int64_t k) const { return values_[k]; }

  std::vector<std::pair<double, double>> values_;
};

class TableLaw {
 public:
  TableLaw(const CellStatistic& statistic, bool is_transposed, double max_operations)
      : statistic_(statistic),
        is_transposed_(is_transposed),
        rows_(is_transposed ? statistic.columns : statistic.rows),
        columns_(is_transposed ? statistic.rows : statistic.columns),
        budget_(max_operations),
        factorials_(statistic.n) {
    // Rows with the same total can trade places, so their remainders are kept sorted.
    run_end_.resize(rows_.size());
    for (std::size_t i = rows_.size(); i-- > 0;) {
      const bool continues =
          i + 1 < rows_.size() && statistic.function != CellFunction::diagonal && rows_[i] == rows_[i + 1];
      run_end_[i] = continues ? run_end_[i + 1] : i + 1;
    }
  }

  DiscreteLaw run() {
    Layer layer;
    Remaining start(rows_);
    layer[canonical(start)].law = {{0.0, 1.0}};
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      Layer next;
      for (const auto& [remaining, node] : layer) fill_column(j, remaining, node.law, next);
      for (auto& entry : next) merge_equal(entry.second.law);
      layer = std::move(next);
    }
    DiscreteLaw result;
    for (const auto& [value, probability] : layer.begin()->second.law) {
      result.values.push_back(value);
      result.probabilities.push_back(probability);
    }
    return result;
  }

 private:
  Remaining& canonical(Remaining& remaining) const {
    for (std::size_t i = 0; i < remaining.size(); i = run_end_[i]) {
      std::sort(remaining.begin() + static_cast<std::ptrdiff_t>(i),
                remaining.begin() + static_cast<std::ptrdiff_t>(run_end_[i]));
    }
    return remaining;
  }

  double cell(std::size_t i, std::size_t j, std::int64_t m) const {
    return is_transposed_ ? statistic_.cell(j, i, m) : statistic_.cell(i, j, m);
  }

  void spend(std::size_t operations) {
    budget_ -= static_cast<double>(operations);
    if (budget_ < 0) throw std::length_error("the exact law needs more operations than allowed");
  }

  void fill_column(std::size_t j, const Remaining& remaining, const Weighted& law, Layer& next) {
    const std::int64_t left = std::accumulate(remaining.begin(), remaining.end(), std::int64_t{0});
    const double log_total = factorials_.log_choose(left, columns_[j]);
    Remaining after(remaining);
    std::function<void(std::size_t, std::int64_t, std::int64_t, double, double)> place =
        [&](std::size_t i, std::int64_t to_place, std::int64_t room, double log_ways, double value) {
          if (i + 1 == remaining.size()) {
            after[i] = remaining[i] - to_place;
            emit(law, log_ways + factorials_.log_choose(remaining[i], to_place) - log_total,
                 value + cell(i, j, to_place), after, next);
            return;
          }
          const std::int64_t room_below = room - remaining[i];
          const std::int64_t low = std::max<std::int64_t>(0, to_place - room_below);
          const std::int64_t high = std::min(remaining[i], to_place);
          for (std::int64_t m = low; m <= high; ++m) {
            after[i] = remaining[i] - m;
            place(i + 1, to_place - m, room_below, log_ways + factorials_.log_choose(remaining[i], m),
                  value + cell(i, j, m));
          }
        };
    place(0, columns_[j], left, 0.0, 0.0);
  }

  void emit(const Weighted& law, double log_probability, double value, const Remaining& after, Layer& next) {
    spend(law.size() + rows_.size());
    Remaining key(after);
    Node& node = next[canonical(key)];
    const double probability = std::exp(log_probability);
    for (const auto& [earlier, p] : law) node.law.emplace_back(earlier + value, p * probability);
    // Merging when a list has doubled keeps memory near the number of distinct values.
    if (node.law.size() > 4096 && node.law.size() >= 2 * node.n_merged) {
      merge_equal(node.law);
      node.n_merged = node.law.size();
    }
  }

  const CellStatistic& statistic_;
  const bool is_transposed_;
  const std::vector<std::int64_t>&rows_, &columns_;
  double budget_;
  LogFactorials factorials_;
  std::vector<std::size_t> run_end_;
};

}  // namespace

DiscreteLaw table_law(CellFunction function, const std::vector<std::int64_t>& rows,
                      const std::vector<std::int64_t>& columns, double max_operations) {
  // The state is a remainder per row, so the shorter side makes the rows.
  const CellStatistic statistic(function, rows, columns);
  return TableLaw(statistic, rows.size() > columns.size(), max_operations).run();
}

}  // namespace bychance
