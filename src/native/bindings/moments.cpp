// Exact moments and whole distributions over all permutations: from invariants of matrices, totals of tables
// or tie groups, and for many pairs of columns, each on the rows that both have.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bindings/arrays.hpp"
#include "distributions/exact_distributions.hpp"
#include "moments/bends.hpp"
#include "moments/information_moments.hpp"

namespace bychance {

template <>
inline constexpr Named<Weights> kNames<Weights>[] = {{"projector", Weights::projector},
                                                     {"indicator", Weights::indicator}};

namespace {

using Totals = std::vector<std::int64_t>;

Totals totals_of(const In<std::int64_t>& totals) {
  require(totals.size > 0, "totals must not be empty");
  for (const std::int64_t total : totals) require(total >= 0, "totals must not be negative");
  return {totals.begin(), totals.end()};
}

std::int64_t sum_of(const Totals& totals) {
  return std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
}

struct TableTotals {
  TableTotals(const In<std::int64_t>& of_rows, const In<std::int64_t>& of_columns)
      : rows(totals_of(of_rows)), columns(totals_of(of_columns)) {
    require(sum_of(rows) == sum_of(columns), "row and column totals must have the same sum");
  }
  Totals rows, columns;
};

void bind_traces_of_matrices(nb::module_& m) {
  m.def(
      "trace_moments",
      [](InRows<double> x, InRows<double> y, In<double> n, In<std::int64_t> x_at, In<std::int64_t> y_at) {
        const PairIndices pairs = pairs_of(x_at, x.rows, y_at, y.rows);
        require(n.size == pairs.count, "one number of rows a pair");
        std::vector<TraceMoments> found;
        found.reserve(pairs.count);
        over_sides<TraceSide>(x, y, pairs, [&](std::size_t k, const TraceSide& a, const TraceSide& b) {
          found.push_back(trace_moments(a, b, TraceFactors(n[k])));
        });
        return std::make_tuple(field_of(found, &TraceMoments::mean), field_of(found, &TraceMoments::variance),
                               field_of(found, &TraceMoments::third),
                               field_of(found, &TraceMoments::normal_variance));
      },
      "x"_a, "y"_a, "n"_a, "x_at"_a, "y_at"_a, without_gil,
      "Return mean, variance and third central moment of tr(A B) over all permutations, and the variance "
      "under a normal margin. Each pair is a row of x and a row of y.");
  m.def(
      "line_invariants", [](In<double> line) { return values_of(line_invariants(line.data, line.size)); },
      "line"_a, "Return the eight invariants of cc', c centered and of unit norm.");
  m.def(
      "partition_invariants",
      [](In<std::int64_t> sizes, In<double> weights) {
        require(sizes.size == weights.size && sizes.size > 0, "one weight a group");
        return values_of(partition_invariants(sizes.data, weights.data, sizes.size));
      },
      "sizes"_a, "weights"_a, "Return the eight invariants of a centered, weighted group indicator.");
  m.def(
      "distance_invariants",
      [](In<double> values) {
        require(values.size >= 4, "at least four rows");
        return values_of(distance_invariants(values.data, values.size));
      },
      "values"_a, "Return the eight invariants of the U-centered distances of ascending values.");
}

auto arrays_of(PairSizes& sizes) {
  return moved(sizes.n, sizes.x_distinct, sizes.y_distinct, sizes.x_smallest, sizes.y_smallest);
}

auto arrays_of(PairTraces&& found) {
  return std::tuple_cat(
      std::make_tuple(std::move(found.trace), rows_of(std::move(found.x)), rows_of(std::move(found.y))),
      arrays_of(found.sizes));
}

auto arrays_of(PairInformation&& found) {
  return std::tuple_cat(moved(found.observed, found.bound, found.mean, found.variance),
                        arrays_of(found.sizes));
}

template <class Columns, class T>
void add_column(Columns& columns, In<T> values) {
  require(columns.columns.empty() || values.size == columns.n_rows, "columns must be of one length");
  columns.add(values.data, values.size);
}

void require_pieces(std::size_t pieces) {
  require(pieces >= 1 && pieces <= kMostPieces, "pieces must be from 1 to 5");
}

void bind_columns(nb::module_& m) {
  nb::class_<LabelColumns>(m, "LabelColumns", "Columns of labels, prepared for contingency tables.")
      .def(nb::init<>())
      .def("add", &add_column<LabelColumns, const std::int32_t>, "codes"_a, without_gil,
           "Add a column. A negative code is missing.");
  nb::class_<NumberColumns>(m, "NumberColumns", "Columns of numbers, prepared for sums over groups.")
      .def(nb::init<>())
      .def("add", &add_column<NumberColumns, const double>, "values"_a, without_gil,
           "Add a column. NaN is missing.");
  nb::class_<BentColumns>(m, "BentColumns", "Columns of numbers, prepared for bent lines.")
      .def(
          "__init__",
          [](BentColumns* self, std::size_t most_pieces, bool is_ranked) {
            require_pieces(most_pieces);
            new (self) BentColumns{most_pieces, is_ranked, 0, {}};
          },
          "most_pieces"_a = kMostPieces, "is_ranked"_a = false)
      .def("add", &add_column<BentColumns, const double>, "values"_a, without_gil,
           "Add a column, of midranks if columns are ranked. NaN is missing.");
}

Bends bends_of(const In<double>& knots, const In<double>& groups, const In<double>& centers) {
  const auto copied = [](const In<double>& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  const Bends bends{copied(knots), copied(groups), copied(centers)};
  require(bends.n_slots() >= 1 && bends.n_slots() <= kMostSlots && centers.size == kMostSlots,
          "up to six slots");
  return bends;
}

void bind_bent_line(nb::module_& m) {
  nb::class_<BentLine>(m, "BentLine",
                       "The projector on all lines that may bend at the quantiles of a column.")
      .def_static(
          "of",
          [](In<double> values, std::size_t pieces) {
            require_pieces(pieces);
            for (const double value : values) require(!std::isnan(value), "values must not be NaN");
            std::vector<double> ascending(values.begin(), values.end());
            std::sort(ascending.begin(), ascending.end());
            auto line = std::make_shared<BentLine>();
            line->fit(values.data, ascending.data(), ascending.size(), pieces);
            return line;
          },
          "values"_a, "pieces"_a, without_gil, "Fit the line to values without NaN.")
      .def_prop_ro("n", [](const BentLine& self) { return self.slots.size(); })
      .def_prop_ro(
          "bends",
          [](const BentLine& self) {
            return std::make_tuple(self.bends.knots, self.bends.groups, self.bends.centers);
          },
          "Knots, separate values, and the mean share of each slot.")
      .def_prop_ro("rank", [](const BentLine& self) { return self.basis.rank; })
      .def_prop_ro(
          "has_groups_only", [](const BentLine& self) { return self.bends.knots.empty(); },
          "True if it is the projector on groups.")
      .def_prop_ro(
          "invariants", [](const BentLine& self) { return values_of(self.basis.invariants); },
          "T, T2, T3, S2, S3, B1, R, U.")
      .def(
          "basis",
          [](const BentLine& self) {
            Rows<double> basis(self.slots.size(), self.basis.rank);
            for (std::size_t k = 0; k < basis.rows; ++k) {
              std::copy_n(self.row(k).data(), self.basis.rank, basis.row(k));
            }
            return basis;
          },
          without_gil, "Return the orthonormal basis, one row per value.");
  m.def(
      "slot_columns",
      [](In<double> values, In<bool> is_missing, In<double> knots, In<double> groups, In<double> centers) {
        require(values.size == is_missing.size, "one value a row of the mask");
        const Bends bends = bends_of(knots, groups, centers);
        Rows<double> columns(values.size, 2 * kMostSlots);
        for (std::size_t k = 0; k < values.size; ++k) {
          if (is_missing[k]) continue;
          const auto [slot, share] = bends.place(values[k]);
          columns.row(k)[2 * slot] = 1;
          columns.row(k)[2 * slot + 1] = share;
        }
        return columns;
      },
      "values"_a, "is_missing"_a, "knots"_a, "groups"_a, "centers"_a, without_gil,
      "Return a row per value: 1 in its slot, and the share of the way to the next knot less the mean "
      "share.");
  m.def(
      "bent_trace",
      [](InRows<double> powers, InRows<double> products, In<double> knots, In<double> groups,
         In<double> centers) {
        require(powers.rows + 1 == kSharePowers && powers.columns == 2 * kMostSlots &&
                    products.columns == 2 * kMostSlots,
                "six powers of the columns of six slots");
        SlotPowers own;
        for (std::size_t c = 0; c < kMostSlots; ++c) {
          own[c][0] = powers.row(0)[2 * c];
          for (std::size_t p = 1; p < kSharePowers; ++p) own[c][p] = powers.row(p - 1)[2 * c + 1];
        }
        const BentBasis basis(bends_of(knots, groups, centers), own);
        double trace = 0;
        BentFunction sums;
        for (std::size_t k = 0; k < products.rows; ++k) {
          std::copy_n(products.row(k), sums.size(), sums.begin());
          trace += squared_length(basis.combination(sums));
        }
        return std::make_tuple(trace, values_of(basis.invariants), basis.rank, basis.smallest_group);
      },
      "powers"_a, "products"_a, "knots"_a, "groups"_a, "centers"_a,
      "Return tr(A B), A's invariants and rank, and its smallest group, from sums of powers of slot columns "
      "and of their products with the columns of B = YY'.");
  m.def("pieces_for", &pieces_for, "n"_a, "Return the number of pieces of a bent line through n rows.");
}

// Binds find(x, y, pairs, option), which has an option if there is a name of it.
template <class X, class Y, class... Option, class Find, class... Name>
void bind_pairs_of(nb::module_& m, const char* name, Find find, const char* doc, Name... option_name) {
  m.def(
      name,
      [find](const X& x, const Y& y, In<std::int64_t> first, In<std::int64_t> second, Option... option) {
        require(x.n_rows == y.n_rows, "columns must be of one length");
        const PairIndices pairs = pairs_of(first, x.columns.size(), second, y.columns.size());
        return arrays_of(find(x, y, pairs, option...));
      },
      "x"_a, "y"_a, "first"_a, "second"_a, option_name..., without_gil, doc);
}

void bind_pairs(nb::module_& m) {
  bind_columns(m);
  bind_bent_line(m);
  constexpr const char* kBent =
      "Return the results of table_traces for bent lines of x. In place of x's groups: the rank plus one, or "
      "at rank 1 the distinct values up to 10. Smallest groups are 0 unless the line is groups alone.";
  const auto bent = [](const auto&... arguments) { return bent_traces(arguments...); };
  bind_pairs_of<BentColumns, NumberColumns>(m, "bent_traces", bent, kBent);
  bind_pairs_of<BentColumns, LabelColumns>(m, "bent_traces", bent, kBent);
  bind_pairs_of<LabelColumns, LabelColumns, Choice<Weights>>(
      m, "table_traces", &table_traces,
      "Return tr(A B) of each pair, A the projector on x, and the invariants of A and B. Then rows, groups "
      "of x and y, and smallest groups of x and y.",
      "y_weights"_a);
  bind_pairs_of<LabelColumns, NumberColumns, Choice<Weights>>(
      m, "group_traces", &group_traces,
      "Return the results of table_traces for categories x and numbers y, whose distinct values are counted "
      "up to 10.",
      "x_weights"_a);
  bind_pairs_of<LabelColumns, LabelColumns, double>(
      m, "table_information", &table_information,
      "Return n times mutual information of each pair in nats, its bound, mean and variance (NaN if too "
      "costly). Then rows, groups of x and y, and smallest groups of x and y.",
      "max_operations"_a);
}

}  // namespace

void bind_moments(nb::module_& m) {
  bind_pairs(m);
  bind_traces_of_matrices(m);
  m.def(
      "kendall_distribution",
      [](In<std::int64_t> tie_groups) { return kendall_distribution(tie_groups.data, tie_groups.size); },
      "tie_groups"_a, without_gil,
      "Return the probabilities of 0, 1, … discordant pairs, with ties in at most one variable.");
  m.def(
      "table_distribution",
      [](Choice<CellFunction> function, In<std::int64_t> rows, In<std::int64_t> columns,
         double max_operations) {
        const TableTotals totals(rows, columns);
        DiscreteDistribution found =
            table_distribution(function, totals.rows, totals.columns, max_operations);
        return moved(found.values, found.probabilities);
      },
      "function"_a, "rows"_a, "columns"_a, "max_operations"_a, without_gil,
      "Return the values and probabilities of all tables with these totals, or raise OverflowError if that "
      "is too much.");
  m.def(
      "information_moments",
      [](In<std::int64_t> rows, In<std::int64_t> columns, double max_operations) {
        const TableTotals totals(rows, columns);
        DistinctTotals a, b;
        a.set(totals.rows.data(), totals.rows.size());
        b.set(totals.columns.data(), totals.columns.size());
        const InformationMoments found = InformationNull().moments(a, b, sum_of(totals.rows), max_operations);
        return std::make_tuple(found.mean, found.variance, InformationNull::cost(a, b));
      },
      "rows"_a, "columns"_a, "max_operations"_a, without_gil,
      "Return mean and variance of n times mutual information in nats over all tables with these totals, and "
      "the operations that the variance takes. It is NaN if these are too many.");
}

}  // namespace bychance
