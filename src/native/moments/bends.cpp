// Knots by whole-number positions, hats between them, Cholesky on the centered hats.
#include "moments/bends.hpp"

#include <algorithm>
#include <cmath>

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

// How far along the way from low to high the value is; halved where the way is longer than the largest
// number.
double share_of(double low, double value, double high) {
  const double way = high - low;
  return std::isinf(way) ? (value / 2 - low / 2) / (high / 2 - low / 2) : (value - low) / way;
}

}  // namespace

std::size_t pieces_for(std::size_t n) { return std::clamp<std::size_t>(n / 6, 1, kMostPieces); }

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

void BentLine::fit(const double* values, std::size_t n, const Bends& bends) {
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
      column = n_knots + static_cast<std::size_t>(own - bends.own.begin());
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
  const auto n = static_cast<double>(columns.size());
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
  std::array<double, kMostPieces> by_leverage{};
  std::array<double, kMostPieces * kMostPieces * kMostPieces> triples{};
  for (std::size_t c = 0; c < n_columns; ++c) {
    const auto& s = sums[c];
    std::array<double, kMostPieces> at{}, slope{};
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
      squares += q[p] * s[p];
      cubes += q[p] * (d0 * s[p] + d1 * s[p + 1] + d2 * s[p + 2]);
    }
    for (std::size_t a = 0; a < rank; ++a) {
      by_leverage[a] +=
          at[a] * (d0 * s[0] + d1 * s[1] + d2 * s[2]) + slope[a] * (d0 * s[1] + d1 * s[2] + d2 * s[3]);
      for (std::size_t b = 0; b <= a; ++b) {
        const double e0 = at[a] * at[b], e1 = at[a] * slope[b] + slope[a] * at[b], e2 = slope[a] * slope[b];
        const double plain = e0 * s[0] + e1 * s[1] + e2 * s[2], rising = e0 * s[1] + e1 * s[2] + e2 * s[3];
        for (std::size_t e = 0; e <= b; ++e) {
          triples[(a * kMostPieces + b) * kMostPieces + e] += at[e] * plain + slope[e] * rising;
        }
      }
    }
  }
  double r = 0, u = 0;
  for (std::size_t a = 0; a < rank; ++a) {
    r += by_leverage[a] * by_leverage[a];
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t e = 0; e <= b; ++e) {
        const double orders = a == b && b == e ? 1 : (a == b || b == e ? 3 : 6);
        const double sum = triples[(a * kMostPieces + b) * kMostPieces + e];
        u += orders * sum * sum;
      }
    }
  }
  const auto t = static_cast<double>(rank);
  invariants = {t, t, t, squares, cubes, squares, r, u};
  group_sizes.fill(0);
  for (std::size_t k = 0; has_groups_only && k < columns.size(); ++k) {
    ++group_sizes[columns[k] + (shares[k] > 0.5 ? 1u : 0u)];
  }
}

double BentLine::squared_length(const double* sums, double total) const {
  double squares = 0;
  for (std::size_t a = 0; a < rank; ++a) {
    double sum = -total * offsets[a];
    for (std::size_t c = 0; c < n_columns; ++c) sum += coefficients[a][c] * sums[c];
    squares += sum * sum;
  }
  return squares;
}

void BentLine::row(std::size_t k, double* out) const {
  const std::size_t c = columns[k];
  for (std::size_t a = 0; a < rank; ++a) {
    out[a] = coefficients[a][c] - offsets[a] + shares[k] * (coefficients[a][c + 1] - coefficients[a][c]);
  }
}

BentLine bent_line(const double* values, std::size_t n, std::size_t pieces) {
  std::vector<double> ascending(values, values + n);
  std::sort(ascending.begin(), ascending.end());
  BentLine line;
  line.fit(values, n, find_bends(ascending.data(), n, pieces));
  return line;
}

}  // namespace bychance
