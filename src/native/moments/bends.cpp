// Knots by whole-number positions, sums over the pieces between them, and from these a basis. Complete
// columns are placed once, others on the rows that both columns of a pair have.
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

// All but y's sizes; `n_distinct` of x.
void put(PairTraces& out, std::size_t k, const BentLine& a, std::int64_t n_distinct, double trace,
         const Invariants& b) {
  out.trace[k] = trace;
  out.x[k] = a.basis.invariants;
  out.y[k] = b;
  out.sizes.n[k] = a.slots.size();
  out.sizes.x_distinct[k] = a.basis.rank == 1 ? n_distinct : a.basis.rank + 1;
  out.sizes.x_smallest[k] = a.basis.smallest_group;
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

// Values that sit at two quantiles or more are groups, and the others get the pieces that are left.
Bends Bends::of(const double* ascending, std::size_t n, std::size_t pieces) {
  std::vector<double> knots, groups;
  std::vector<double> rest(ascending, ascending + n);
  while (!rest.empty()) {
    knots = first_distinct(rest, pieces + 1);
    std::vector<double> repeated;
    if (knots.size() <= pieces + 1) {
      repeated.swap(knots);
      rest.clear();
    } else {
      knots = values_at_quantiles(rest, pieces);
      for (std::size_t j = 0; j < pieces; ++j) {
        const bool is_known = !repeated.empty() && repeated.back() == knots[j];
        if (knots[j] == knots[j + 1] && !is_known) repeated.push_back(knots[j]);
      }
      if (repeated.empty()) break;
    }
    pieces -= std::min(pieces, repeated.size());
    groups.insert(groups.end(), repeated.begin(), repeated.end());
    const auto is_repeated = [&](double value) {
      return std::binary_search(repeated.begin(), repeated.end(), value);
    };
    rest.erase(std::remove_if(rest.begin(), rest.end(), is_repeated), rest.end());
  }
  std::sort(groups.begin(), groups.end());
  return {knots, groups, std::vector<double>(kMostSlots)};
}

std::pair<std::size_t, double> Bends::place(double value) const {
  const std::size_t group = std::lower_bound(groups.begin(), groups.end(), value) - groups.begin();
  const bool is_group = group < groups.size() && groups[group] == value;
  // A value that was not among those the bends are of joins the next group.
  if (is_group || knots.empty()) return {n_pieces() + std::min(group, groups.size() - 1), 0.0};
  std::size_t slot = 0;
  while (slot + 1 < n_pieces() && value >= knots[slot + 1]) ++slot;
  return {slot, share_of(knots[slot], value, knots[slot + 1]) - centers[slot]};
}

BentBasis::BentBasis(const Bends& bends, const SlotPowers& sums) {
  find_functions(bends, sums);
  find_invariants(sums, bends.n_slots());
  for (std::size_t c = 0; bends.knots.empty() && c < bends.n_slots(); ++c) {
    const auto size = static_cast<std::int64_t>(sums[c][0]);
    if (size > 0) smallest_group = smallest_group > 0 ? std::min(smallest_group, size) : size;
  }
}

// Gram and Schmidt: each slot has a function, and one that the others span is left out. Of a group it is the
// indicator; of a piece the line that is flat before and after it, with the value 0 at its center, so that no
// far value in another piece drowns it.
void BentBasis::find_functions(const Bends& bends, const SlotPowers& sums) {
  const std::size_t n_pieces = bends.n_pieces(), n_slots = bends.n_slots();
  const auto inner = [&](const BentFunction& f, const BentFunction& g) {
    double total = 0;
    for (std::size_t c = 0; c < n_slots; ++c) {
      const auto& s = sums[c];
      const double level = g[2 * c], slope = g[2 * c + 1];
      total += f[2 * c] * (level * s[0] + slope * s[1]) + f[2 * c + 1] * (level * s[1] + slope * s[2]);
    }
    return total;
  };
  BentFunction one{};
  for (std::size_t c = 0; c < n_slots; ++c) one[2 * c] = 1;
  const double n = inner(one, one);
  for (std::size_t i = 0; i < n_slots && rank < kMostPieces; ++i) {
    BentFunction own{};
    own[i < n_pieces ? 2 * i + 1 : 2 * i] = 1;
    for (std::size_t c = 0; i < n_pieces && c < n_pieces; ++c) {
      if (c != i) own[2 * c] = (c > i ? 1 : 0) - bends.centers[i];
    }
    const double squares = inner(own, own);
    const auto remove = [&](const BentFunction& other, double along) {
      for (std::size_t k = 0; k < own.size(); ++k) own[k] -= along * other[k];
    };
    remove(one, inner(own, one) / n);
    const double variation = inner(own, own);
    if (variation <= kLeastPivot * squares) continue;
    for (std::size_t a = 0; a < rank; ++a) remove(functions[a], inner(own, functions[a]));
    const double left = inner(own, own);
    if (left <= kLeastPivot * variation) continue;
    for (double& entry : own) entry /= std::sqrt(left);
    functions[rank++] = own;
  }
}

// In each slot a row of F is a + b u and its leverage a polynomial of u, the share less its center: powers of
// u up to the sixth have all invariants. Far from the center, F is small and its terms cancel.
void BentBasis::find_invariants(const SlotPowers& sums, std::size_t n_slots) {
  double squares = 0, cubes = 0;
  BentRow by_leverage{};
  std::array<double, kMostPieces * kMostPieces * kMostPieces> triples{};
  for (std::size_t c = 0; c < n_slots; ++c) {
    // The sum over the rows of the slot of (e0 + e1 u + e2 u^2) u^power.
    const auto sum = [&s = sums[c]](double e0, double e1, double e2, std::size_t power = 0) {
      return e0 * s[power] + e1 * s[power + 1] + e2 * s[power + 2];
    };
    BentRow at{}, slope{};
    double d0 = 0, d1 = 0, d2 = 0;  // of the leverage
    for (std::size_t a = 0; a < rank; ++a) {
      at[a] = functions[a][2 * c];
      slope[a] = functions[a][2 * c + 1];
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
}

BentRow BentBasis::combination(const BentFunction& sums) const {
  BentRow found{};
  for (std::size_t k = 0; k < sums.size(); ++k) {
    for (std::size_t a = 0; a < kMostPieces; ++a) found[a] += functions[a][k] * sums[k];
  }
  return found;
}

void BentLine::fit(const double* values, const double* ascending, std::size_t n, std::size_t pieces) {
  bends = Bends::of(ascending, n, pieces);
  slots.resize(n), shares.resize(n);
  SlotPowers sums{};
  std::vector<double> totals(kMostSlots);
  for (std::size_t k = 0; k < n; ++k) {
    const auto [slot, share] = bends.place(values[k]);
    slots[k] = static_cast<std::uint8_t>(slot);
    shares[k] = share;
    sums[slot][0] += 1;
    totals[slot] += share;
  }
  for (std::size_t c = 0; c < bends.n_slots(); ++c) bends.centers[c] = totals[c] / sums[c][0];
  for (std::size_t k = 0; k < n; ++k) {
    shares[k] -= bends.centers[slots[k]];
    double power = shares[k];
    for (std::size_t p = 1; p < kSharePowers; ++p, power *= shares[k]) sums[slots[k]][p] += power;
  }
  basis = BentBasis(bends, sums);
}

BentRow BentLine::row(std::size_t k) const {
  BentRow found{};
  const std::size_t at = 2 * slots[k];
  for (std::size_t a = 0; a < basis.rank; ++a) {
    found[a] = basis.functions[a][at] + basis.functions[a][at + 1] * shares[k];
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
  std::vector<BentFunction> weights;
  std::vector<BentRow> sums;
  PartitionInvariants invariants;
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const BentColumn& first = x.columns[pairs.first[k]];
    const LabelColumn& second = y.columns[pairs.second[k]];
    const auto take = [&](const BentLine& a, std::int64_t n_distinct, const std::vector<std::int32_t>& codes,
                          const GroupSizes& classes) {
      sum_classes(a, [&](std::size_t row) { return codes[row]; }, classes.sizes.size(), weights, sums);
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
