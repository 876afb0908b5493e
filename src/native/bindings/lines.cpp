// Kernels over many pairs of numeric columns: arrays in, arrays out, the GIL released in between.
#include "pairs/lines.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/arrays.hpp"
#include "nulls/traces.hpp"
#include "pairs/line_powers.hpp"
#include "pairs/ranks.hpp"

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

RankedColumn ranked(const In<std::int32_t>& order, const In<std::int32_t>& groups,
                    const In<bool>& is_present) {
  const std::size_t n = order.size();
  require(n <= is_present.size(), "orders must hold row numbers");
  require_below(order, is_present.size(), "orders must hold row numbers");
  require(groups.size() == n || groups.size() == 0, "groups must be one a row of the order, or none");
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const std::int32_t step = groups.data()[k] - (k == 0 ? 0 : groups.data()[k - 1]);
    require(step == 0 || (step == 1 && k > 0), "groups must ascend from 0 by steps of 0 or 1");
  }
  const std::size_t n_groups = groups.size() == 0 ? 0 : static_cast<std::size_t>(groups.data()[n - 1]) + 1;
  return {order.data(), groups.data(), n, n_groups, is_present.data()};
}

// r² of two columns on the rows that both have; null where one of them is constant there.
std::unique_ptr<LineProduct> squared_correlation(const MaskedColumn& x, const MaskedColumn& y,
                                                 std::size_t n_rows, bool is_ranked) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < n_rows; ++k) n += !(x.is_missing[k] | y.is_missing[k]);
  // What is gathered is written one row ahead.
  const auto lines = std::make_shared<std::vector<double>>(2 * (n + 1));
  double *a = lines->data(), *b = a + n + 1;
  gather_shared(x, y, n_rows, a, b);
  for (double* c : {a, b}) {
    if (is_ranked) make_midranks(c, n);
    if (!make_line(c, n)) return nullptr;
  }
  const Finish finish{true, 1, 1, 0, 0, 1, {}};
  return std::make_unique<LineProduct>(Held<double>{a, n, lines}, Held<double>{b, n, lines}, finish);
}

// Checked once, however many calls their pairs take.
struct RankedColumns {
  RankedColumns(Columns<std::int32_t> orders, Columns<std::int32_t> groups, Columns<bool> is_present)
      : orders_(std::move(orders)), groups_(std::move(groups)), is_present_(std::move(is_present)) {
    require(!orders_.empty() && orders_.size() == groups_.size() && orders_.size() == is_present_.size(),
            "one order, one list of groups and one mask a column");
    n_rows = is_present_[0].size();
    require_length(is_present_, n_rows, "masks must be of one length");
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      columns.push_back(ranked(orders_[i], groups_[i], is_present_[i]));
    }
  }
  std::size_t n_rows;
  std::vector<RankedColumn> columns;

 private:
  Columns<std::int32_t> orders_, groups_;
  Columns<bool> is_present_;
};

}  // namespace

void bind_lines(nb::module_& m) {
  m.def(
      "line_powers",
      [](const Columns<double>& values, const Columns<bool>& is_missing, InRows<double> scalings,
         nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> out) {
        const auto columns = masked(values, is_missing);
        const std::size_t count = columns.size(), n = values[0].size();
        require(scalings.shape(0) == count && scalings.shape(1) == 3, "one scaling a column");
        require((out.shape(0) == kPowers || out.shape(0) == 1) && out.shape(1) == count && out.shape(2) == n,
                "out must hold one or six powers of every column");
        nb::gil_scoped_release released;
        for (std::size_t i = 0; i < count; ++i) {
          const double* s = scalings.data() + 3 * i;
          line_powers(columns[i].values, columns[i].is_missing, n, {s[0], s[1], s[2]}, out.shape(0),
                      count * n, out.data() + i * n);
        }
      },
      "values"_a, "is_missing"_a, "scalings"_a, "out"_a.noconvert(),
      "Writes power 1, or 1 to 6, of (value * before - center) * after, 0 where missing, one scaling a "
      "column.");
  m.def(
      "line_scalings",
      [](const Columns<double>& values) {
        std::vector<double> scalings;
        {
          nb::gil_scoped_release released;
          for (const auto& column : values) {
            const LineScaling s = scaling_of(column.data(), column.size());
            scalings.insert(scalings.end(), {s.before, s.center, s.after});
          }
        }
        return to_rows(std::move(scalings), values.size(), 3);
      },
      "values"_a,
      "Factor, center and factor that bring each column to [-1, 1]: (value * before - center) * after.");
  m.def(
      "line_sums",
      [](const Columns<double>& values, InRows<double> scalings) {
        require(scalings.shape(0) == values.size() && scalings.shape(1) == 3, "one scaling a column");
        std::vector<double> sums(values.size() * kPowers);
        {
          nb::gil_scoped_release released;
          for (std::size_t i = 0; i < values.size(); ++i) {
            const double* s = scalings.data() + 3 * i;
            power_sums(values[i].data(), values[i].size(), {s[0], s[1], s[2]}, sums.data() + i * kPowers);
          }
        }
        return to_rows(std::move(sums), values.size(), kPowers);
      },
      "values"_a, "scalings"_a, "Sums of powers 1 to 6 of the scaled values of each column.");
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
      "unit_line",
      [](In<double> values) {
        std::vector<double> line(values.data(), values.data() + values.size());
        if (!make_line(line.data(), line.size())) std::fill(line.begin(), line.end(), 0.0);
        return to_numpy(std::move(line));
      },
      "values"_a, "The values, centered, at unit norm; all 0 where they are equal.");
  m.def(
      "line_statistics",
      [](const Columns<double>& values, const Columns<bool>& is_missing, In<std::int64_t> first,
         In<std::int64_t> second, bool is_ranked) {
        const auto columns = masked(values, is_missing);
        const ColumnPairs pairs = pairs_of(first, second, columns.size());
        std::vector<std::unique_ptr<Statistic>> made(pairs.count);
        std::vector<double> products(pairs.count);
        {
          nb::gil_scoped_release released;
          for (std::size_t p = 0; p < pairs.count; ++p) {
            auto one = squared_correlation(columns[static_cast<std::size_t>(first.data()[p])],
                                           columns[static_cast<std::size_t>(second.data()[p])],
                                           values[0].size(), is_ranked);
            if (one) products[p] = one->product();
            made[p] = std::move(one);
          }
        }
        return std::make_pair(std::move(made), to_numpy(std::move(products)));
      },
      "values"_a, "is_missing"_a, "first"_a, "second"_a, "is_ranked"_a,
      "r² of each pair on the rows that both have, y permuted, of values or of midranks, and the "
      "correlations "
      "of the pairings as they are; None where a column is constant.");
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
  nb::class_<RankedColumns>(m, "RankedColumns",
                            "Columns by the rows that they have, smallest first, and the tie group of each.")
      .def(nb::init<Columns<std::int32_t>, Columns<std::int32_t>, Columns<bool>>(), "orders"_a, "groups"_a,
           "is_present"_a)
      .def(
          "pairs",
          [](const RankedColumns& self, In<std::int64_t> first, In<std::int64_t> second) {
            const ColumnPairs pairs = pairs_of(first, second, self.columns.size());
            std::vector<double> figures(pairs.count * kLineFigures);
            std::vector<std::int64_t> counts(pairs.count * 3);
            {
              nb::gil_scoped_release released;
              rank_pairs(self.columns.data(), self.n_rows, pairs,
                         reinterpret_cast<LineFigures*>(figures.data()), counts.data());
            }
            return std::make_tuple(to_rows(std::move(figures), pairs.count, kLineFigures),
                                   to_rows(std::move(counts), pairs.count, 3));
          },
          "first"_a, "second"_a,
          "Of each pair on the rows that both have: the figures of `line_pairs` for midranks, and the "
          "numbers of rows, of distinct values of x and of y.");
}

}  // namespace bychance
