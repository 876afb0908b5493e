// The powers of a few columns on some rows stay in a core's first cache while every mask sums them.
#include "moments/batch_sums.hpp"

#include <algorithm>
#include <vector>

#include "core/and_counts.hpp"
#include "core/arithmetic.hpp"

namespace bychance {
namespace {

constexpr std::size_t kTileRows = 128;   // numbered by a byte
constexpr std::size_t kTileColumns = 4;  // a wide register of doubles
constexpr std::size_t kTileSums = kPowers * kTileColumns;
constexpr double kLeastLeft = 1e-3;  // of a sum, below which a difference is not taken

// Rows of a tile by their numbers there.
struct RowList {
  const std::uint8_t* rows;
  std::size_t count;
};

// For each tile of rows and each mask: the rows that it misses, or if these are most those that it has.
class MaskedRows {
 public:
  MaskedRows(const Masks& masks, std::size_t n_rows) : masks_(masks), starts_{0} {
    std::uint8_t room[kTileRows + 1];
    for (std::size_t top = 0; top < n_rows; top += kTileRows) {
      const std::size_t height = std::min(kTileRows, n_rows - top);
      for (std::size_t m = 0; m < masks.size(); ++m) {
        const bool* is_missing = masks[m] + top;
        std::size_t count = numbers(is_missing, height, true, room);
        const bool are_missing = 2 * count <= height;
        if (!are_missing) count = numbers(is_missing, height, false, room);
        rows_.insert(rows_.end(), room, room + count);
        starts_.push_back(rows_.size());
        are_missing_.push_back(are_missing);
      }
    }
  }

  std::size_t n_masks() const { return masks_.size(); }

  const bool* mask(std::size_t tile, std::size_t m) const { return masks_[m] + tile * kTileRows; }

  RowList list(std::size_t tile, std::size_t m) const {
    const std::size_t k = tile * masks_.size() + m;
    return {rows_.data() + starts_[k], starts_[k + 1] - starts_[k]};
  }

  bool are_missing(std::size_t tile, std::size_t m) const {
    return are_missing_[tile * masks_.size() + m] != 0;
  }

  // Into room for a tile's rows and one more.
  static std::size_t numbers(const bool* is_missing, std::size_t n_rows, bool wanted, std::uint8_t* room) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < n_rows; ++k) {
      room[count] = static_cast<std::uint8_t>(k);
      count += is_missing[k] == wanted;
    }
    return count;
  }

 private:
  const Masks& masks_;
  std::vector<std::uint8_t> rows_;
  std::vector<std::size_t> starts_;
  std::vector<char> are_missing_;
};

// The powers of a few columns on some rows: of each row [p * kTileColumns + i], 0 beyond the last column.
class Tile {
 public:
  BYCHANCE_WIDE void fill(const double* z, std::size_t stride, std::size_t n_rows, std::size_t width) {
    n_rows_ = n_rows;
    std::fill_n(total_, kTileSums, 0.0);
    for (std::size_t k = 0; k < n_rows; ++k) {
      double own[kTileColumns] = {};
      std::copy_n(z + k * stride, width, own);
      double* row = powers_ + k * kTileSums;
      double power[kTileColumns] = {1, 1, 1, 1};
      for (std::size_t p = 0; p < kPowers; ++p) {
        for (std::size_t i = 0; i < kTileColumns; ++i) power[i] *= own[i];
        for (std::size_t i = 0; i < kTileColumns; ++i) row[p * kTileColumns + i] = power[i];
        for (std::size_t i = 0; i < kTileColumns; ++i) total_[p * kTileColumns + i] += power[i];
      }
    }
  }

  // Adds the sums over the rows that each mask has: `number` of the tile among those of the rows.
  BYCHANCE_WIDE void add_to(const MaskedRows& masked, std::size_t number, double* of_masks) const {
    double own[kTileSums];
    for (std::size_t m = 0; m < masked.n_masks(); ++m) {
      sum_rows(masked.list(number, m), own);
      if (masked.are_missing(number, m)) {
        bool cancels = false;
        for (std::size_t k = 0; k < kTileSums; ++k) own[k] = total_[k] - own[k];
        for (std::size_t k = kTileSums - kTileColumns; k < kTileSums; ++k) {
          cancels |= own[k] < kLeastLeft * total_[k];
        }
        if (cancels) sum_present(masked.mask(number, m), own);
      }
      double* sums = of_masks + m * kTileSums;
      for (std::size_t k = 0; k < kTileSums; ++k) sums[k] += own[k];
    }
  }

 private:
  // A stripe at a time: compilers keep so many totals in registers, and no more.
  void sum_rows(RowList list, double* sums) const {
    constexpr std::size_t kStripe = kTileSums / 2;
    for (std::size_t start = 0; start < kTileSums; start += kStripe) {
      double total[kStripe] = {};
      for (std::size_t k = 0; k < list.count; ++k) {
        const double* row = powers_ + list.rows[k] * kTileSums + start;
        for (std::size_t i = 0; i < kStripe; ++i) total[i] += row[i];
      }
      for (std::size_t i = 0; i < kStripe; ++i) sums[start + i] = total[i];
    }
  }

  void sum_present(const bool* is_missing, double* sums) const {
    std::uint8_t room[kTileRows + 1];
    sum_rows({room, MaskedRows::numbers(is_missing, n_rows_, false, room)}, sums);
  }

  std::size_t n_rows_ = 0;
  double powers_[kTileRows * kTileSums];
  double total_[kTileSums];
};

std::vector<std::uint64_t> bits_of_present(const Masks& masks, std::size_t n_rows) {
  const std::size_t n_words = (n_rows + 63) / 64;
  std::vector<std::uint64_t> bits(masks.size() * n_words, 0);
  for (std::size_t m = 0; m < masks.size(); ++m) {
    for (std::size_t k = 0; k < n_rows; ++k) {
      bits[m * n_words + k / 64] |= static_cast<std::uint64_t>(!masks[m][k]) << (k % 64);
    }
  }
  return bits;
}

}  // namespace

void scaled_rows(const std::vector<MaskedColumn>& columns, const LineScaling* scalings, std::size_t n_rows,
                 double* z) {
  constexpr std::size_t kFew = 64, kWide = 8;  // rows and columns that are turned in the first cache
  double turned[kFew * kWide];
  for (std::size_t top = 0; top < n_rows; top += kFew) {
    const std::size_t height = std::min(n_rows - top, kFew);
    for (std::size_t left = 0; left < columns.size(); left += kWide) {
      const std::size_t width = std::min(columns.size() - left, kWide);
      for (std::size_t i = 0; i < width; ++i) {
        const double* values = columns[left + i].values + top;
        const bool* is_missing = columns[left + i].is_missing + top;
        const LineScaling s = scalings[left + i];
        for (std::size_t k = 0; k < height; ++k) {
          const double scaled = s(values[k]);
          turned[k * kWide + i] = is_missing[k] ? 0.0 : scaled;
        }
      }
      for (std::size_t k = 0; k < height; ++k) {
        std::copy_n(turned + k * kWide, width, z + (top + k) * columns.size() + left);
      }
    }
  }
}

void add_power_sums(const double* z, std::size_t n_columns, const Masks& masks, std::size_t n_rows,
                    double* sums) {
  const MaskedRows masked(masks, n_rows);
  std::vector<double> of_masks(masks.size() * kTileSums);
  Tile tile;
  for (std::size_t left = 0; left < n_columns; left += kTileColumns) {
    const std::size_t width = std::min(kTileColumns, n_columns - left);
    std::fill(of_masks.begin(), of_masks.end(), 0.0);
    for (std::size_t top = 0, t = 0; top < n_rows; top += kTileRows, ++t) {
      tile.fill(z + top * n_columns + left, n_columns, std::min(kTileRows, n_rows - top), width);
      tile.add_to(masked, t, of_masks.data());
    }
    for (std::size_t m = 0; m < masks.size(); ++m) {
      for (std::size_t p = 0; p < kPowers; ++p) {
        for (std::size_t i = 0; i < width; ++i) {
          sums[(m * kPowers + p) * n_columns + left + i] += of_masks[m * kTileSums + p * kTileColumns + i];
        }
      }
    }
  }
}

void add_shared_counts(const Masks& masks, const Masks& others, std::size_t n_rows, std::int64_t* counts) {
  const bool are_same = masks == others;
  const std::size_t n_words = (n_rows + 63) / 64, n_others = others.size();
  const auto bits = bits_of_present(masks, n_rows);
  const auto other_bits = are_same ? bits : bits_of_present(others, n_rows);
  const AndCount count = and_counter().count;
  for (std::size_t a = 0; a < masks.size(); ++a) {
    for (std::size_t b = are_same ? a : 0; b < n_others; ++b) {
      const std::int64_t shared = count(bits.data() + a * n_words, other_bits.data() + b * n_words, n_words);
      counts[a * n_others + b] += shared;
      if (are_same && a != b) counts[b * n_others + a] += shared;
    }
  }
}

std::vector<std::uint32_t> missing_values(const Masks& masks, std::size_t n_rows) {
  std::vector<std::uint32_t> found(n_rows * masks.size() + 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    for (std::size_t k = 0; k < n_rows; ++k) {
      found[count] = k * masks.size() + i;
      count += masks[i][k];
    }
  }
  found.resize(count);
  return found;
}

BYCHANCE_WIDE void add_group_sums(const std::int32_t* codes, const double* z, std::size_t n_columns,
                                  const std::vector<std::uint32_t>& missing_values, std::size_t n_rows,
                                  const GroupTotals& totals) {
  for (std::size_t k = 0; k < n_rows; ++k) {
    if (codes[k] < 0) continue;
    const std::size_t group = codes[k];
    ++totals.sizes[group];
    const double* row = z + k * n_columns;
    double* sum = totals.sums + group * n_columns;
    for (std::size_t i = 0; i < n_columns; ++i) sum[i] += row[i];
  }
  for (const std::uint32_t value : missing_values) {
    const std::uint32_t row = value / static_cast<std::uint32_t>(n_columns);
    if (codes[row] < 0) continue;
    const std::size_t column = value - row * static_cast<std::uint32_t>(n_columns);
    ++totals.missing[codes[row] * n_columns + column];
  }
}

void add_table(const std::int32_t* x, const std::int32_t* y, std::size_t n_rows, std::size_t n_columns,
               std::int64_t* table) {
  for (std::size_t k = 0; k < n_rows; ++k) {
    if (x[k] >= 0 && y[k] >= 0) {
      ++table[x[k] * n_columns + y[k]];
    }
  }
}

}  // namespace bychance
