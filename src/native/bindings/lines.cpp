// Numeric columns: their orders, scaled values and sums over batches of rows, and pairs of them one by one.
#include "moments/lines.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <limits>

#include "bindings/arrays.hpp"
#include "core/column_order.hpp"
#include "moments/batch_sums.hpp"
#include "moments/ranks.hpp"
#include "permutations/statistics.hpp"

namespace bychance {
namespace {

void bind_orders(nb::module_& m) {
  m.def(
      "ascending_order",
      [](In<double> values) {
        require(values.size <= std::numeric_limits<std::int32_t>::max(), "too many values to number");
        std::vector<std::int32_t> order;
        std::vector<std::int64_t> sizes;
        order.reserve(values.size);
        const auto rows = ascending_rows(values.data, values.size);
        sizes.reserve(rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
          order.push_back(rows[k].row);
          if (k == 0 || rows[k].key != rows[k - 1].key) sizes.push_back(0);
          ++sizes.back();
        }
        return moved(order, sizes);
      },
      "values"_a, without_gil,
      "Return the numbers of the values in ascending order, ties by number, and the sizes of tie groups.");
  m.def(
      "are_distinct", [](In<double> values) { return are_distinct(values.data, values.size); }, "values"_a,
      "Return True if no value occurs twice. None may be NaN.");
}

// Rows of before, center and after.
const LineScaling* scalings_of(const InRows<double>& rows, std::size_t count) {
  require(rows.rows == count && rows.columns == 3, "one scaling a column");
  return reinterpret_cast<const LineScaling*>(rows.data);
}

void bind_scaled(nb::module_& m) {
  m.def(
      "line_scalings",
      [](const Columns<double>& values) {
        std::vector<LineScaling> scalings;
        for (const auto& column : values) scalings.push_back(scaling_of(column.data(), column.size()));
        return rows_of(std::move(scalings));
      },
      "values"_a, without_gil,
      "Return before, center and after of each column: (value * before - center) * after lies in [-1, 1].");
  m.def(
      "scaled_lines",
      [](const Columns<double>& values, InRows<double> scalings, Grid<double> out) {
        const LineScaling* scales = scalings_of(scalings, values.size());
        require(out.rows == values.size(), "one row a column");
        for (std::size_t i = 0; i < values.size(); ++i) {
          const In<double> column(values[i]);
          require(column.size == out.columns, "columns must be as long as the rows");
          std::transform(column.begin(), column.end(), out.row(i), scales[i]);
        }
      },
      "values"_a, "scalings"_a, "out"_a, without_gil, "Write the scaled values of each column to a row.");
  m.def(
      "line_sums",
      [](const Columns<double>& values, InRows<double> scalings) {
        const LineScaling* scales = scalings_of(scalings, values.size());
        Rows<double> sums(values.size(), kPowers);
        for (std::size_t i = 0; i < values.size(); ++i) {
          power_sums(values[i].data(), values[i].size(), scales[i], sums.row(i));
        }
        return sums;
      },
      "values"_a, "scalings"_a, without_gil, "Sum powers 1 to 6 of the scaled values of each column.");
  m.def(
      "scaled_rows",
      [](const Columns<double>& values, const Columns<bool>& is_missing, InRows<double> scalings,
         Grid<double> z) {
        const MaskedColumns all = masked(values, is_missing);
        const LineScaling* scales = scalings_of(scalings, all.columns.size());
        require(z.columns == all.columns.size() && (z.columns == 0 || z.rows == all.n_rows),
                "one column of z a column, and one row a row");
        scaled_rows(all.columns, scales, all.n_rows, z.data);
      },
      "values"_a, "is_missing"_a, "scalings"_a, "z"_a, without_gil,
      "Write the scaled values of all columns to z, 0 if missing, one row of z per row.");
}

Masks masks_of(const Columns<bool>& is_missing, std::size_t n_rows) {
  Masks found;
  for (const auto& mask : is_missing) {
    require(mask.size() == n_rows, "masks must be of one length");
    found.push_back(mask.data());
  }
  return found;
}

// A negative code is missing.
void require_codes(const In<std::int32_t>& codes, std::size_t bound) {
  require_below(codes, bound, "codes must number the groups", std::numeric_limits<std::int32_t>::min());
}

void bind_batches(nb::module_& m) {
  m.def(
      "add_power_sums",
      [](InRows<double> z, const Columns<bool>& is_missing, const Array<double, 3>& sums) {
        const Masks masks = masks_of(is_missing, z.rows);
        require(sums.shape(0) == masks.size() && sums.shape(1) == kPowers && sums.shape(2) == z.columns,
                "sums must hold six powers of every column for every mask");
        add_power_sums(z.data, z.columns, masks, z.rows, sums.data());
      },
      "z"_a, "is_missing"_a, "sums"_a.noconvert(), without_gil,
      "Add the sums of powers 1 to 6 of every column over the rows that each mask has.");
  m.def(
      "add_shared_counts",
      [](const Columns<bool>& is_missing, const Columns<bool>& others, Grid<std::int64_t> counts) {
        const std::size_t n = is_missing.empty() ? 0 : is_missing[0].size();
        const Masks masks = masks_of(is_missing, n), with = masks_of(others, n);
        require(counts.rows == masks.size() && counts.columns == with.size(), "one count a pair of masks");
        add_shared_counts(masks, with, n, counts.data);
      },
      "is_missing"_a, "others"_a, "counts"_a, without_gil,
      "Add the number of rows that every mask shares with each of the others, which may be the same masks.");
  m.def(
      "add_group_sums",
      [](const Columns<std::int32_t>& codes, InRows<double> z, const Columns<bool>& is_missing,
         const std::vector<Array<double, 2>>& sums, const std::vector<Array<std::int64_t, 2>>& missing,
         const std::vector<Array<std::int64_t, 1>>& sizes) {
        const std::size_t n = z.rows, width = z.columns, count = codes.size();
        const Masks masks = masks_of(is_missing, n);
        require(masks.size() == width, "one mask a column");
        require(n * width < (std::size_t{1} << 32), "a batch holds fewer values");
        require(sums.size() == count && missing.size() == count && sizes.size() == count,
                "totals a labeling");
        const auto values = missing_values(masks, n);
        for (std::size_t c = 0; c < count; ++c) {
          const Grid<double> own_sums(sums[c]);
          const Grid<std::int64_t> own_missing(missing[c]);
          const std::size_t n_groups = sizes[c].size();
          require(codes[c].size() == n, "one code a row");
          require(own_sums.columns == width && own_missing.columns == width, "one column of sums a column");
          require(own_sums.rows == n_groups && own_missing.rows == n_groups, "one row of sums a group");
          require_codes(In<std::int32_t>(codes[c]), n_groups);
          add_group_sums(codes[c].data(), z.data, width, values, n,
                         {own_sums.data, own_missing.data, sizes[c].data()});
        }
      },
      "codes"_a, "z"_a, "is_missing"_a, "sums"_a.noconvert(), "missing"_a.noconvert(), "sizes"_a.noconvert(),
      without_gil,
      "Add the sums of z within the groups of each labeling, missing rows per group and column, and group "
      "sizes.");
  m.def(
      "add_table",
      [](In<std::int32_t> x, In<std::int32_t> y, Grid<std::int64_t> table) {
        require(x.size == y.size, "codes must be of one length");
        require_codes(x, table.rows);
        require_codes(y, table.columns);
        add_table(x.data, y.data, x.size, table.columns, table.data);
      },
      "x"_a, "y"_a, "table"_a, without_gil,
      "Count the rows of every two labels. A negative code is missing.");
}

// r² of two columns on the rows that both have, and their correlation; null if one of them is constant there.
std::unique_ptr<Statistic> squared_correlation(const MaskedColumn& x, const MaskedColumn& y,
                                               std::size_t n_rows, bool is_ranked, double& correlation) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < n_rows; ++k) n += !(x.is_missing[k] | y.is_missing[k]);
  // Values are gathered one row ahead.
  const auto lines = std::make_shared<std::vector<double>>(2 * (n + 1));
  double *a = lines->data(), *b = a + n + 1;
  gather_shared(x, y, n_rows, a, b);
  for (double* c : {a, b}) {
    if (is_ranked) make_midranks(c, n);
    if (!make_line(c, n)) return nullptr;
  }
  double sums[2] = {};  // in the order of draws, so that the observed pairing is equal to itself in every bit
  for (std::size_t k = n; k-- > 0;) sums[(n - 1 - k) % 2] += a[k] * b[k];
  correlation = sums[0] + sums[1];
  const Finish finish{true, 1, 1, 0, 0, 1, {}};
  return std::make_unique<LineProduct>(SharedArray<double>{a, n, lines}, SharedArray<double>{b, n, lines},
                                       finish);
}

auto line_statistics(const MaskedColumns& all, const PairIndices& pairs, bool is_ranked) {
  std::vector<std::unique_ptr<Statistic>> made(pairs.count);
  std::vector<double> products(pairs.count);
  for (std::size_t p = 0; p < pairs.count; ++p) {
    made[p] = squared_correlation(all.columns[pairs.first[p]], all.columns[pairs.second[p]], all.n_rows,
                                  is_ranked, products[p]);
  }
  return moved(made, products);
}

RankedColumn ranked(const In<std::int32_t>& order, const In<std::int32_t>& groups,
                    const In<bool>& is_present) {
  const std::size_t n = order.size;
  require(n <= is_present.size, "orders must hold row numbers");
  require_below(order, is_present.size, "orders must hold row numbers");
  require(groups.size == n || groups.size == 0, "groups must be one a row of the order, or none");
  for (std::size_t k = 0; k < groups.size; ++k) {
    const std::int32_t step = groups[k] - (k == 0 ? 0 : groups[k - 1]);
    require(step == 0 || (step == 1 && k > 0), "groups must ascend from 0 by steps of 0 or 1");
  }
  const std::size_t n_groups = groups.size == 0 ? 0 : static_cast<std::size_t>(groups[n - 1]) + 1;
  return {order.data, groups.data, n, n_groups, is_present.data};
}

// Checked once, however many calls their pairs take.
struct RankedColumns {
  RankedColumns(Columns<std::int32_t> orders, Columns<std::int32_t> groups, Columns<bool> is_present)
      : orders_(std::move(orders)), groups_(std::move(groups)), is_present_(std::move(is_present)) {
    require(!orders_.empty() && orders_.size() == groups_.size() && orders_.size() == is_present_.size(),
            "one order, one list of groups and one mask a column");
    n_rows = is_present_[0].size();
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      require(is_present_[i].size() == n_rows, "masks must be of one length");
      columns.push_back(
          ranked(In<std::int32_t>(orders_[i]), In<std::int32_t>(groups_[i]), In<bool>(is_present_[i])));
    }
  }
  std::size_t n_rows;
  std::vector<RankedColumn> columns;

 private:
  Columns<std::int32_t> orders_, groups_;
  Columns<bool> is_present_;
};

auto rank_pairs_of(const RankedColumns& all, In<std::int64_t> first, In<std::int64_t> second) {
  const std::size_t count = all.columns.size();
  RankedPairs found = rank_pairs(all.columns, all.n_rows, pairs_of(first, count, second, count));
  return std::make_tuple(rows_of(std::move(found.figures)), rows_of<std::int64_t>(std::move(found.counts)));
}

}  // namespace

void bind_lines(nb::module_& m) {
  bind_orders(m);
  bind_scaled(m);
  bind_batches(m);
  m.def(
      "unit_line",
      [](In<double> values) {
        std::vector<double> line(values.begin(), values.end());
        if (!make_line(line.data(), line.size())) std::fill(line.begin(), line.end(), 0.0);
        return line;
      },
      "values"_a, "Center the values and scale them to unit norm. All are 0 if they are equal.");
  bind_masked_pairs(
      m, "line_pairs",
      [](const MaskedColumns& all, const PairIndices& pairs) { return rows_of(line_pairs(all, pairs)); },
      "Return r of each pair on its shared rows, then sums of third, fourth and sixth powers of x and of y "
      "at unit norm. If a column is constant, r is NaN.");
  bind_masked_pairs<std::size_t>(
      m, "distinct_pairs",
      [](const MaskedColumns& all, const PairIndices& pairs, std::size_t limit) {
        return rows_of<std::int64_t>(distinct_pairs(all, pairs, limit));
      },
      "Count the distinct values of x and of y of each pair on its shared rows, up to `limit`.", "limit"_a);
  bind_masked_pairs<bool>(
      m, "line_statistics", &line_statistics,
      "Return r² of each pair on its shared rows as a statistic, of values or midranks, and the observed "
      "correlations. It is None if a column is constant.",
      "is_ranked"_a);
  nb::class_<RankedColumns>(m, "RankedColumns",
                            "Columns by their rows in ascending order, with the tie group of each row.")
      .def(nb::init<Columns<std::int32_t>, Columns<std::int32_t>, Columns<bool>>(), "orders"_a, "groups"_a,
           "is_present"_a)
      .def("pairs", &rank_pairs_of, "first"_a, "second"_a, without_gil,
           "Return the results of `line_pairs` for midranks, and the numbers of shared rows and of distinct "
           "values of x and of y.");
}

}  // namespace bychance
