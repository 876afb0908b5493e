// Tiles of rows are small enough for their powers to stay in a core's cache.
#include "pairs/batch_sums.hpp"

#include <algorithm>
#include <vector>

#include "pairs/and_counts.hpp"
#include "wide.hpp"

namespace bychance {
namespace {

constexpr std::size_t kTileRows = 256;
constexpr std::size_t kTileColumns = 32;
constexpr double kLeastLeft = 1e-3;  // of a sum, below which a difference is not taken

BYCHANCE_WIDE void powers_of_row(const double* z, std::size_t width, double* out) {
  for (std::size_t i = 0; i < width; ++i) out[i] = z[i];
  for (std::size_t p = 1; p < kPowers; ++p) {
    const double* previous = out + (p - 1) * width;
    double* power = out + p * width;
    for (std::size_t i = 0; i < width; ++i) power[i] = previous[i] * z[i];
  }
}

BYCHANCE_WIDE void add_to(double* total, const double* values, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) total[k] += values[k];
}

// Sums of rows of a tile by their numbers, a stripe of columns in registers at a time.
BYCHANCE_WIDE void sum_rows(const double* tile, std::size_t width, const std::uint16_t* rows,
                            std::size_t n_rows, double* total) {
  constexpr std::size_t kStripe = 16;
  std::size_t start = 0;
  for (; start + kStripe <= width; start += kStripe) {
    double sums[kStripe] = {};
    for (std::size_t k = 0; k < n_rows; ++k) {
      const double* row = tile + rows[k] * width + start;
      for (std::size_t i = 0; i < kStripe; ++i) sums[i] += row[i];
    }
    for (std::size_t i = 0; i < kStripe; ++i) total[start + i] = sums[i];
  }
  for (; start < width; ++start) {
    double sum = 0;
    for (std::size_t k = 0; k < n_rows; ++k) sum += tile[rows[k] * width + start];
    total[start] = sum;
  }
}

// The powers of some columns on some rows, and what masks make of them.
class Tile {
 public:
  Tile()
      : powers_(kTileRows * kPowers * kTileColumns), total_(kPowers * kTileColumns), part_(total_.size()) {}

  void fill(const double* z, std::size_t stride, std::size_t n_rows, std::size_t width) {
    n_rows_ = n_rows;
    width_ = width;
    std::fill(total_.begin(), total_.end(), 0.0);
    for (std::size_t k = 0; k < n_rows; ++k) {
      double* row = powers_.data() + k * size();
      powers_of_row(z + k * stride, width, row);
      add_to(total_.data(), row, size());
    }
  }

  // Into `out`, of which each power has `stride` columns.
  void add_rows_of(const bool* is_missing, double* out, std::size_t stride) {
    const std::size_t n_missing = list(is_missing, true);
    if (n_missing == 0) return put(total_.data(), out, stride);
    if (2 * n_missing > n_rows_) {
      sum_rows(powers_.data(), size(), rows_, list(is_missing, false), part_.data());
      return put(part_.data(), out, stride);
    }
    sum_rows(powers_.data(), size(), rows_, n_missing, part_.data());
    bool has_listed_present = false;
    for (std::size_t i = 0; i < width_; ++i) {
      const std::size_t last = (kPowers - 1) * width_ + i;
      const bool cancels = total_[last] - part_[last] < kLeastLeft * total_[last];
      if (cancels && !has_listed_present) {
        n_present_ = list(is_missing, false);
        has_listed_present = true;
      }
      for (std::size_t p = 0; p < kPowers; ++p) {
        const std::size_t at = p * width_ + i;
        out[p * stride + i] += cancels ? sum_present(at) : total_[at] - part_[at];
      }
    }
  }

 private:
  std::size_t size() const { return kPowers * width_; }

  std::size_t list(const bool* is_missing, bool wanted) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < n_rows_; ++k) {
      rows_[count] = static_cast<std::uint16_t>(k);
      count += is_missing[k] == wanted;
    }
    return count;
  }

  double sum_present(std::size_t at) const {
    double sum = 0;
    for (std::size_t k = 0; k < n_present_; ++k) sum += powers_[rows_[k] * size() + at];
    return sum;
  }

  void put(const double* values, double* out, std::size_t stride) const {
    for (std::size_t p = 0; p < kPowers; ++p) add_to(out + p * stride, values + p * width_, width_);
  }

  std::size_t n_rows_ = 0, width_ = 0, n_present_ = 0;
  std::vector<double> powers_, total_, part_;
  std::uint16_t rows_[kTileRows + 1];
};

}  // namespace

void scaled_rows(const BatchColumns& columns, std::size_t n_rows, double* z) {
  constexpr std::size_t kFew = 64;  // rows whose z stays in the first cache
  double line[kFew];
  for (std::size_t top = 0; top < n_rows; top += kFew) {
    const std::size_t count = std::min(n_rows - top, kFew);
    for (std::size_t i = 0; i < columns.count; ++i) {
      const double* values = columns.columns[i].values + top;
      const bool* is_missing = columns.columns[i].is_missing + top;
      const LineScaling s = columns.scalings[i];
      for (std::size_t k = 0; k < count; ++k) line[k] = (values[k] * s.before - s.center) * s.after;
      double* out = z + top * columns.count + i;
      for (std::size_t k = 0; k < count; ++k) out[k * columns.count] = line[k];
      for (std::size_t k = 0; k < count; ++k) {
        if (is_missing[k]) out[k * columns.count] = 0.0;
      }
    }
  }
}

void add_power_sums(const double* z, std::size_t n_columns, const BatchMasks& masks, std::size_t n_rows,
                    double* sums) {
  Tile tile;
  for (std::size_t top = 0; top < n_rows; top += kTileRows) {
    const std::size_t height = std::min(kTileRows, n_rows - top);
    for (std::size_t left = 0; left < n_columns; left += kTileColumns) {
      tile.fill(z + top * n_columns + left, n_columns, height, std::min(kTileColumns, n_columns - left));
      for (std::size_t m = 0; m < masks.count; ++m) {
        tile.add_rows_of(masks.is_missing[m] + top, sums + m * kPowers * n_columns + left, n_columns);
      }
    }
  }
}

void add_shared_counts(const BatchMasks& masks, std::size_t n_rows, std::int64_t* counts) {
  const std::size_t n_words = (n_rows + 63) / 64;
  std::vector<std::uint64_t> bits(masks.count * n_words, 0);
  for (std::size_t m = 0; m < masks.count; ++m) {
    for (std::size_t k = 0; k < n_rows; ++k) {
      bits[m * n_words + k / 64] |= static_cast<std::uint64_t>(!masks.is_missing[m][k]) << (k % 64);
    }
  }
  const AndCount count = and_counter().count;
  for (std::size_t a = 0; a < masks.count; ++a) {
    for (std::size_t b = a; b < masks.count; ++b) {
      const std::int64_t shared = count(bits.data() + a * n_words, bits.data() + b * n_words, n_words);
      counts[a * masks.count + b] += shared;
      if (a != b) counts[b * masks.count + a] += shared;
    }
  }
}

std::vector<std::uint32_t> missing_values(const BatchMasks& masks, std::size_t n_rows) {
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> room(kTileRows + 1);
  for (std::size_t top = 0; top < n_rows; top += kTileRows) {
    const std::size_t end = std::min(n_rows, top + kTileRows);
    for (std::size_t i = 0; i < masks.count; ++i) {
      std::size_t count = 0;
      for (std::size_t k = top; k < end; ++k) {
        room[count] = static_cast<std::uint32_t>(k * masks.count + i);
        count += masks.is_missing[i][k];
      }
      found.insert(found.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }
  return found;
}

BYCHANCE_WIDE void add_group_sums(const std::int32_t* codes, const double* z, std::size_t n_columns,
                                  const std::vector<std::uint32_t>& missing_values, std::size_t n_rows,
                                  const GroupTotals& totals) {
  for (std::size_t k = 0; k < n_rows; ++k) {
    if (codes[k] < 0) continue;
    const auto group = static_cast<std::size_t>(codes[k]);
    ++totals.sizes[group];
    const double* row = z + k * n_columns;
    double* sum = totals.sums + group * n_columns;
    for (std::size_t i = 0; i < n_columns; ++i) sum[i] += row[i];
  }
  for (const std::uint32_t value : missing_values) {
    const std::uint32_t row = value / static_cast<std::uint32_t>(n_columns);
    if (codes[row] < 0) continue;
    const std::size_t column = value - row * static_cast<std::uint32_t>(n_columns);
    ++totals.missing[static_cast<std::size_t>(codes[row]) * n_columns + column];
  }
}

void add_table(const std::int32_t* x, const std::int32_t* y, std::size_t n_rows, std::size_t n_columns,
               std::int64_t* table) {
  for (std::size_t k = 0; k < n_rows; ++k) {
    if (x[k] >= 0 && y[k] >= 0) {
      ++table[static_cast<std::size_t>(x[k]) * n_columns + static_cast<std::size_t>(y[k])];
    }
  }
}

}  // namespace bychance
