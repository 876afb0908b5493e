// Knots by whole-number positions, hats between them, a basis from the centered hats. Complete columns are
// placed once, others on the rows that both columns of a pair have.
#include "moments/bends.hpp"

#include <cmath>

#include "core/column_order.hpp"

namespace bychance {
namespace {

constexpr double kLeastPivot = 1e-9;  // of a column scaled to length 1: below it, the others span the column

// The distinct values if there are at most `most`, otherwise the first most + 1.
std::vector<double> first_distinct(const std::vector<double>& ascending, std::size_t most) {
  std::vector<double> found;
  for (auto at = ascending.begin(); at != ascending.end() && found.size() <= most;
       at = std::upper_bound(at, ascending.end(), *at)) {
    found.push_back(*at);
  }
  return found;
}

// The sorted values at the positions nearest to j/pieces of the way, j = 0..pieces.
std::vector<double> values_at_quantiles(const std::vector<double>& ascending, std::size_t pieces) {
  std::vector<double> found;
  for (std::size_t j = 0; j <= pieces; ++j) {
    found.push_back(ascending[(2 * j * (ascending.size() - 1) + pieces) / (2 * pieces)]);
  }
  return found;
}

// The share of the way from low to high at which the value lies; halved if the way is longer than the largest
// number.
double share_of(double low, double value, double high) {
  const double way = high - low;
  return std::isinf(way) ? (value / 2 - low / 2) / (high / 2 - low / 2) : (value - low) / way;
}

// Both ascending. A line runs from each knot to the next one.
struct Bends {
  std::vector<double> own;       // values that are separate groups
  std::vector<double> knots;     // of the other rows; the inner ones are bends
  bool has_groups_only = false;  // every value is a knot or a group, so that lines are not needed
};

Bends find_bends(const double* ascending, std::size_t n, std::size_t pieces) {
  Bends bends;
  std::vector<double> rest(ascending, ascending + n);
  while (!rest.empty()) {
    bends.knots = first_distinct(rest, pieces + 1);
    if (bends.knots.size() <= pieces + 1) {
      bends.has_groups_only = true;
      break;
    }
    bends.knots = values_at_quantiles(rest, pieces);
    std::vector<double> repeated;
    for (std::size_t j = 0; j + 1 < bends.knots.size(); ++j) {
      const double value = bends.knots[j];
      const bool is_known = !repeated.empty() && repeated.back() == value;
      if (value == bends.knots[j + 1] && !is_known) repeated.push_back(value);
    }
    if (repeated.empty()) break;
    pieces -= repeated.size();
    bends.own.insert(bends.own.end(), repeated.begin(), repeated.end());
    const auto is_repeated = [&](double value) {
      return std::binary_search(repeated.begin(), repeated.end(), value);
    };
    rest.erase(std::remove_if(rest.begin(), rest.end(), is_repeated), rest.end());
  }
  std::sort(bends.own.begin(), bends.own.end());
  return bends;
}

std::int64_t smallest_group(const BentLine& a) {
  if (!a.has_groups_only || a.n_columns == 0) return 0;
  const auto end = a.group_sizes.begin() + a.n_columns;
  return *std::min_element(a.group_sizes.begin(), end);
}

// All but y's sizes; `n_distinct` of x.
void put(PairTraces& out, std::size_t k, const BentLine& a, std::int64_t n_distinct, double trace,
         const Invariants& b) {
  out.trace[k] = trace;
  out.x[k] = a.invariants;
  out.y[k] = b;
  out.sizes.n[k] = a.columns.size();
  out.sizes.x_distinct[k] = a.rank == 1 ? n_distinct : a.rank + 1;
  out.sizes.x_smallest[k] = smallest_group(a);
}

// The values of x on the rows that both columns have, ascending, and the bent line through them.
class SharedRows {
 public:
  explicit SharedRows(const BentColumns& x) : x_(x) {}

  template <class Has, class Take>
  void gather(const BentColumn& x, Has has_y, Take take_y) {
    values_.clear();
    for (const std::int32_t row : x.order) {
      if (!has_y(row)) continue;
      values_.push_back(x.values[row]);
      take_y(row);
    }
    const std::size_t n = values_.size();
    if (x_.is_ranked) make_midranks(values_.data(), n);
    line_.fit(values_.data(), values_.data(), n, x_.pieces_of(n));
  }

  const BentLine& line() const { return line_; }
  std::int64_t n_distinct() const { return count_distinct(values_, CenteredLine::kManyValues); }

 private:
  const BentColumns& x_;
  std::vector<double> values_;
  BentLine line_;
};

}  // namespace

std::size_t pieces_for(std::size_t n) { return std::clamp<std::size_t>(n / 6, 1, kMostPieces); }

void BentLine::fit(const double* values, const double* ascending, std::size_t n, std::size_t pieces) {
  const Bends bends = find_bends(ascending, n, pieces);
  const std::size_t n_knots = bends.knots.size(), last = n_knots < 2 ? 0 : n_knots - 2;
  n_columns = n_knots + bends.own.size();
  has_groups_only = bends.has_groups_only;
  columns.resize(n), shares.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double value = values[k];
    std::size_t column = 0;
    double share = 0;
    const auto own = std::find(bends.own.begin(), bends.own.end(), value);
    if (own != bends.own.end()) {
      column = n_knots + (own - bends.own.begin());
    } else if (n_knots > 1) {
      while (column < last && value >= bends.knots[column + 1]) ++column;
      share = share_of(bends.knots[column], value, bends.knots[column + 1]);
    }
    columns[k] = static_cast<std::uint8_t>(column);
    shares[k] = share;
  }
  find_basis();
  find_invariants();
}

// Column by column of the centered hats, each scaled to length 1: one that the others span is left out.
void BentLine::find_basis() {
  const double n = columns.size();
  double products[kMostBentColumns + 1][kMostBentColumns + 1] = {}, mean[kMostBentColumns + 1] = {};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double next = shares[k], own = 1 - next;
    const std::size_t c = columns[k];
    products[c][c] += own * own;
    products[c + 1][c] += own * next;
    products[c + 1][c + 1] += next * next;
    mean[c] += own / n;
    mean[c + 1] += next / n;
  }
  double scale[kMostBentColumns] = {};
  for (std::size_t i = 0; i < n_columns; ++i) {
    for (std::size_t j = 0; j <= i; ++j) products[i][j] -= n * mean[i] * mean[j];
    scale[i] = products[i][i] > 0 ? 1 / std::sqrt(products[i][i]) : 0;
  }
  // Gram and Schmidt by inner products: the coefficients of each new direction in the hats.
  rank = 0;
  offsets.fill(0);
  for (auto& row : coefficients) row.fill(0);
  const auto inner = [&](const std::array<double, kMostBentColumns + 1>& direction, std::size_t column) {
    double sum = 0;
    for (std::size_t j = 0; j < n_columns; ++j) {
      sum += direction[j] * (j <= column ? products[column][j] : products[j][column]);
    }
    return sum;
  };
  for (std::size_t i = 0; i < n_columns && rank < kMostPieces; ++i) {
    std::array<double, kMostBentColumns + 1> direction{};
    direction[i] = scale[i];
    double left = scale[i] > 0 ? 1 : 0;
    for (std::size_t a = 0; a < rank; ++a) {
      const double along = scale[i] * inner(coefficients[a], i);
      for (std::size_t j = 0; j < n_columns; ++j) direction[j] -= along * coefficients[a][j];
      left -= along * along;
    }
    if (left <= kLeastPivot) continue;
    double squared = 0;
    for (std::size_t j = 0; j < n_columns; ++j) squared += direction[j] * inner(direction, j);
    for (std::size_t j = 0; j < n_columns; ++j) {
      coefficients[rank][j] = direction[j] / std::sqrt(squared);
      offsets[rank] += coefficients[rank][j] * mean[j];
    }
    ++rank;
  }
}

// In each piece a row of F is a + b u and its leverage a polynomial of u, the share less the mean share
// there: powers of u up to the sixth have all invariants. Far from its mean, F is small and its terms cancel.
void BentLine::find_invariants() {
  constexpr std::size_t kPowers = 7;
  std::array<std::array<double, kPowers>, kMostBentColumns> sums{};
  std::array<double, kMostBentColumns> mean{};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    sums[columns[k]][0] += 1;
    mean[columns[k]] += shares[k];
  }
  for (std::size_t c = 0; c < n_columns; ++c) mean[c] /= std::max(sums[c][0], 1.0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::size_t c = columns[k];
    const double u = shares[k] - mean[c];
    double power = u;
    for (std::size_t p = 1; p < kPowers; ++p, power *= u) sums[c][p] += power;
  }
  double squares = 0, cubes = 0;
  BentRow by_leverage{};
  std::array<double, kMostPieces * kMostPieces * kMostPieces> triples{};
  for (std::size_t c = 0; c < n_columns; ++c) {
    // The sum over the rows of the piece of (e0 + e1 u + e2 u^2) u^power.
    const auto sum = [&s = sums[c]](double e0, double e1, double e2, std::size_t power = 0) {
      return e0 * s[power] + e1 * s[power + 1] + e2 * s[power + 2];
    };
    BentRow at{}, slope{};
    double d0 = 0, d1 = 0, d2 = 0;  // of the leverage
    for (std::size_t a = 0; a < rank; ++a) {
      slope[a] = coefficients[a][c + 1] - coefficients[a][c];
      at[a] = coefficients[a][c] - offsets[a] + slope[a] * mean[c];
      d0 += at[a] * at[a];
      d1 += 2 * at[a] * slope[a];
      d2 += slope[a] * slope[a];
    }
    const double q[5] = {d0 * d0, 2 * d0 * d1, d1 * d1 + 2 * d0 * d2, 2 * d1 * d2, d2 * d2};
    for (std::size_t p = 0; p < 5; ++p) {
      squares += q[p] * sums[c][p];
      cubes += q[p] * sum(d0, d1, d2, p);
    }
    for (std::size_t a = 0; a < rank; ++a) {
      by_leverage[a] += at[a] * sum(d0, d1, d2) + slope[a] * sum(d0, d1, d2, 1);
      for (std::size_t b = 0; b <= a; ++b) {
        const double e0 = at[a] * at[b], e1 = at[a] * slope[b] + slope[a] * at[b], e2 = slope[a] * slope[b];
        const double plain = sum(e0, e1, e2), rising = sum(e0, e1, e2, 1);
        for (std::size_t e = 0; e <= b; ++e) {
          triples[(a * kMostPieces + b) * kMostPieces + e] += at[e] * plain + slope[e] * rising;
        }
      }
    }
  }
  double u = 0;
  for (std::size_t a = 0; a < rank; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t e = 0; e <= b; ++e) {
        const double orders = a == b && b == e ? 1 : (a == b || b == e ? 3 : 6);
        const double sum = triples[(a * kMostPieces + b) * kMostPieces + e];
        u += orders * sum * sum;
      }
    }
  }
  const double t = rank;
  invariants = {t, t, t, squares, cubes, squares, squared_length(by_leverage), u};
  group_sizes.fill(0);
  for (std::size_t k = 0; has_groups_only && k < columns.size(); ++k) {
    ++group_sizes[columns[k] + (shares[k] > 0.5 ? 1u : 0u)];
  }
}

BentRow BentLine::combination(const double* sums, double total) const {
  BentRow found{};
  for (std::size_t a = 0; a < rank; ++a) {
    found[a] = -total * offsets[a];
    for (std::size_t c = 0; c < n_columns; ++c) found[a] += coefficients[a][c] * sums[c];
  }
  return found;
}

BentRow BentLine::row(std::size_t k) const {
  BentRow found{};
  const std::size_t c = columns[k];
  for (std::size_t a = 0; a < rank; ++a) {
    found[a] = coefficients[a][c] - offsets[a] + shares[k] * (coefficients[a][c + 1] - coefficients[a][c]);
  }
  return found;
}

void BentColumns::add(const double* values, std::size_t n) {
  BentColumn column;
  column.values.assign(values, values + n);
  std::vector<double> present;
  std::vector<std::int32_t> rows;
  for (std::size_t k = 0; k < n; ++k) {
    if (std::isnan(values[k])) continue;
    present.push_back(values[k]);
    rows.push_back(k);
  }
  std::vector<double> ascending;
  for (const KeyedRow& each : ascending_rows(present.data(), present.size())) {
    column.order.push_back(rows[each.row]);
    ascending.push_back(present[each.row]);
  }
  if (!column.has_missing()) {
    column.line.fit(values, ascending.data(), n, pieces_of(n));
    column.n_distinct = count_distinct(ascending, CenteredLine::kManyValues);
  }
  n_rows = n;
  columns.push_back(std::move(column));
}

PairTraces bent_traces(const BentColumns& x, const NumberColumns& y, const PairIndices& pairs) {
  PairTraces out(pairs.count);
  SharedRows shared(x);
  CenteredLine own;
  const auto take = [&](std::size_t k, const BentLine& a, std::int64_t n_distinct, const CenteredLine& line) {
    const BentRow sum = sum_of_line(a, [&](std::size_t row) { return line.values[row]; });
    put(out, k, a, n_distinct, squared_length(sum), line.invariants);
    out.sizes.y_distinct[k] = line.n_distinct;
  };
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const BentColumn& first = x.columns[pairs.first[k]];
    const NumberColumn& second = y.columns[pairs.second[k]];
    if (!first.has_missing() && !second.has_missing) {
      take(k, first.line, first.n_distinct, second.line);
      continue;
    }
    own.values.clear();
    shared.gather(
        first, [&](std::size_t row) { return !std::isnan(second.values[row]); },
        [&](std::size_t row) { own.values.push_back(second.values[row]); });
    if (x.is_ranked) make_midranks(own.values.data(), own.values.size());
    own.center();
    take(k, shared.line(), shared.n_distinct(), own);
  }
  return out;
}

PairTraces bent_traces(const BentColumns& x, const LabelColumns& y, const PairIndices& pairs) {
  PairTraces out(pairs.count);
  SharedRows shared(x);
  GroupSizes own;
  std::vector<std::int32_t> own_codes;
  std::vector<double> weights;
  std::vector<BentRow> sums;
  PartitionInvariants invariants;
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const BentColumn& first = x.columns[pairs.first[k]];
    const LabelColumn& second = y.columns[pairs.second[k]];
    const auto take = [&](const BentLine& a, std::int64_t n_distinct, const std::vector<std::int32_t>& codes,
                          const GroupSizes& classes) {
      sum_classes(a, [&](std::size_t row) { return codes[row]; }, classes.sizes, weights, sums);
      put(out, k, a, n_distinct, squared_lengths(sums), invariants.of(second, classes, Weights::indicator));
      out.sizes.y_distinct[k] = classes.n_distinct();
      out.sizes.y_smallest[k] = classes.smallest();
    };
    if (!first.has_missing() && !second.has_missing) {
      take(first.line, first.n_distinct, second.codes, second.groups);
      continue;
    }
    const std::int32_t missing = second.n_labels();
    own_codes.clear();
    own.sizes.assign(second.n_labels(), 0);
    shared.gather(
        first, [&](std::size_t row) { return second.codes[row] != missing; },
        [&](std::size_t row) {
          own_codes.push_back(second.codes[row]);
          ++own.sizes[second.codes[row]];
        });
    own.n = own_codes.size();
    take(shared.line(), shared.n_distinct(), own_codes, own);
  }
  return out;
}

}  // namespace bychance
