// Kernels over many pairs of numeric columns: arrays in, arrays out, the GIL released in between.
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "line_pairs.hpp"
#include "line_powers.hpp"
#include "rank_pairs.hpp"

namespace bychance {
namespace {

template <class T>
using Columns = std::vector<In<T>>;

template <class T>
void require_length(const Columns<T>& columns, std::size_t length, const char* rule) {
  for (const auto& column : columns) require(column.size() == length, rule);
}

ColumnPairs pairs_of(const In<std::int64_t>& first, const In<std::int64_t>& second, std::size_t n_columns) {
  require(first.size() == second.size(), "first and second must be of one length");
  require_below(first, n_columns, "first must number the columns");
  require_below(second, n_columns, "second must number the columns");
  return {first.data(), second.data(), first.size()};
}

std::vector<MaskedColumn> masked(const Columns<double>& values, const Columns<bool>& is_missing) {
  require(!values.empty() && values.size() == is_missing.size(), "one mask a column");
  require_length(values, values[0].size(), "columns must be of one length");
  require_length(is_missing, values[0].size(), "masks must be as long as the columns");
  std::vector<MaskedColumn> columns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    columns.push_back({values[i].data(), is_missing[i].data()});
  }
  return columns;
}

std::vector<RankedColumn> ranked(const Columns<std::int32_t>& orders, const Columns<std::int32_t>& groups,
                                 const Columns<bool>& is_present) {
  require(!orders.empty() && orders.size() == groups.size() && orders.size() == is_present.size(),
          "one order, one list of groups and one mask a column");
  const std::size_t n_rows = is_present[0].size();
  require_length(is_present, n_rows, "masks must be of one length");
  std::vector<RankedColumn> columns;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const std::size_t n = orders[i].size();
    require_below(orders[i], n_rows, "orders must hold row numbers");
    require(n <= n_rows && (groups[i].size() == n || groups[i].size() == 0),
            "groups must be one a row of the order, or none");
    require_below(groups[i], n, "groups must be numbered from 0");
    const std::size_t n_groups =
        groups[i].size() == 0 ? 0 : static_cast<std::size_t>(groups[i].data()[n - 1]) + 1;
    for (std::size_t k = 1; k < groups[i].size(); ++k) {
      const std::int32_t step = groups[i].data()[k] - groups[i].data()[k - 1];
      require(step == 0 || step == 1, "groups must ascend by steps of 0 or 1");
    }
    columns.push_back({orders[i].data(), groups[i].data(), n, n_groups, is_present[i].data()});
  }
  return columns;
}

}  // namespace

void bind_lines(nb::module_& m) {
  m.def(
      "line_powers",
      [](const Columns<double>& values, const Columns<bool>& is_missing, InRows<double> scalings,
         nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> out) {
        const auto columns = masked(values, is_missing);
        const std::size_t count = columns.size(), n = values[0].size();
        require(scalings.shape(0) == count && scalings.shape(1) == 3, "one scaling a column");
        require(out.shape(0) == kPowers && out.shape(1) == count && out.shape(2) == n,
                "out must hold six powers of every column");
        nb::gil_scoped_release released;
        for (std::size_t i = 0; i < count; ++i) {
          const double* s = scalings.data() + 3 * i;
          line_powers(columns[i].values, columns[i].is_missing, n, {s[0], s[1], s[2]}, count * n,
                      out.data() + i * n);
        }
      },
      "values"_a, "is_missing"_a, "scalings"_a, "out"_a.noconvert(),
      "Writes powers 1 to 6 of (value * before - center) * after, 0 where missing, one scaling a column.");
  m.def(
      "line_pairs",
      [](const Columns<double>& values, const Columns<bool>& is_missing, In<std::int64_t> first,
         In<std::int64_t> second) {
        const auto columns = masked(values, is_missing);
        const ColumnPairs pairs = pairs_of(first, second, columns.size());
        std::vector<double> out(pairs.count * kLineFigures);
        {
          nb::gil_scoped_release released;
          line_pairs(columns.data(), values[0].size(), pairs, reinterpret_cast<LineFigures*>(out.data()));
        }
        return to_rows(std::move(out), pairs.count, kLineFigures);
      },
      "values"_a, "is_missing"_a, "first"_a, "second"_a,
      "Of each pair on the rows that both have: r, then the sums of third, fourth and sixth powers of x and "
      "of y at unit norm; r is NaN where a column is constant.");
  m.def(
      "distinct_pairs",
      [](const Columns<double>& values, const Columns<bool>& is_missing, In<std::int64_t> first,
         In<std::int64_t> second, std::size_t limit) {
        const auto columns = masked(values, is_missing);
        const ColumnPairs pairs = pairs_of(first, second, columns.size());
        std::vector<std::int64_t> out(pairs.count * 2);
        {
          nb::gil_scoped_release released;
          distinct_pairs(columns.data(), values[0].size(), pairs, limit, out.data());
        }
        return to_rows(std::move(out), pairs.count, 2);
      },
      "values"_a, "is_missing"_a, "first"_a, "second"_a, "limit"_a,
      "Of each pair on the rows that both have: distinct values of x and of y, counting up to `limit`.");
  m.def(
      "rank_pairs",
      [](const Columns<std::int32_t>& orders, const Columns<std::int32_t>& groups,
         const Columns<bool>& is_present, In<std::int64_t> first, In<std::int64_t> second) {
        const auto columns = ranked(orders, groups, is_present);
        const ColumnPairs pairs = pairs_of(first, second, columns.size());
        std::vector<double> figures(pairs.count * kLineFigures);
        std::vector<std::int64_t> counts(pairs.count * 3);
        {
          nb::gil_scoped_release released;
          rank_pairs(columns.data(), is_present[0].size(), pairs,
                     reinterpret_cast<LineFigures*>(figures.data()), counts.data());
        }
        return std::make_tuple(to_rows(std::move(figures), pairs.count, kLineFigures),
                               to_rows(std::move(counts), pairs.count, 3));
      },
      "orders"_a, "groups"_a, "is_present"_a, "first"_a, "second"_a,
      "Of each pair on the rows that both have: the figures of `line_pairs` for midranks, and the numbers of "
      "rows, of distinct values of x and of y.");
}

}  // namespace bychance
