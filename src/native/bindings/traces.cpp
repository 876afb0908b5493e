// tr(A B) and mutual information of many pairs of columns, each on the rows that both have: columns made
// ready once, pairs of their numbers in, an entry per pair out.
#include <nanobind/stl/shared_ptr.h>

#include <cmath>

#include "bindings/sides.hpp"
#include "moments/bent_traces.hpp"

namespace bychance {
namespace {

constexpr Named<Weights> kWeights[] = {{"projector", Weights::projector}, {"indicator", Weights::indicator}};

Weights weights_of(const std::string& name) {
  return named(kWeights, name, "weights must be 'projector' or 'indicator'");
}

auto to_tuple(PairSizes&& sizes) {
  return std::make_tuple(to_numpy(std::move(sizes.n)), to_numpy(std::move(sizes.x_distinct)),
                         to_numpy(std::move(sizes.y_distinct)), to_numpy(std::move(sizes.x_smallest)),
                         to_numpy(std::move(sizes.y_smallest)));
}

auto to_tuple(PairTraces&& found) {
  return std::tuple_cat(std::make_tuple(to_numpy(std::move(found.trace)), to_rows(std::move(found.x)),
                                        to_rows(std::move(found.y))),
                        to_tuple(std::move(found.sizes)));
}

auto to_tuple(PairInformation&& found) {
  return std::tuple_cat(std::make_tuple(to_numpy(std::move(found.observed)), to_numpy(std::move(found.bound)),
                                        to_numpy(std::move(found.mean)), to_numpy(std::move(found.variance))),
                        to_tuple(std::move(found.sizes)));
}

template <class X, class Y, class Find>
auto of_pairs(const X& x, const Y& y, const In<std::int64_t>& first, const In<std::int64_t>& second,
              Find find) {
  require(x.n_rows == y.n_rows, "columns must be of one length");
  const PairIndices pairs = pairs_of(first, x.columns.size(), second, y.columns.size());
  return to_tuple(released([&] { return find(pairs); }));
}

template <class Columns, class T>
void add_column(Columns& columns, const In<T>& values) {
  require(columns.columns.empty() || values.size() == columns.n_rows, "columns must be of one length");
  released([&] { columns.add(values.data(), values.size()); });
}

void require_pieces(std::size_t pieces) {
  require(pieces >= 1 && pieces <= kMostPieces, "pieces must be from 1 to 5");
}

void bind_columns(nb::module_& m) {
  nb::class_<LabelColumns>(m, "LabelColumns", "Columns of labels, prepared for contingency tables.")
      .def(nb::init<>())
      .def("add", &add_column<LabelColumns, std::int32_t>, "codes"_a,
           "Add a column. A negative code is missing.");
  nb::class_<NumberColumns>(m, "NumberColumns", "Columns of numbers, prepared for sums over groups.")
      .def(nb::init<>())
      .def("add", &add_column<NumberColumns, double>, "values"_a, "Add a column. NaN is missing.");
  nb::class_<BentColumns>(m, "BentColumns", "Columns of numbers, prepared for bent lines.")
      .def(
          "__init__",
          [](BentColumns* self, std::size_t most_pieces, bool is_ranked) {
            require_pieces(most_pieces);
            new (self) BentColumns{most_pieces, is_ranked, 0, {}};
          },
          "most_pieces"_a = kMostPieces, "is_ranked"_a = false)
      .def("add", &add_column<BentColumns, double>, "values"_a,
           "Add a column, of midranks if columns are ranked. NaN is missing.");
}

void bind_bent_line(nb::module_& m) {
  nb::class_<BentLine>(m, "BentLine",
                       "The projector on all lines that may bend at the quantiles of a column.")
      .def_static(
          "of",
          [](In<double> values, std::size_t pieces) {
            require_pieces(pieces);
            for (std::size_t k = 0; k < values.size(); ++k) {
              require(!std::isnan(values.data()[k]), "values must not be NaN");
            }
            return released(
                [&] { return std::make_shared<BentLine>(bent_line(values.data(), values.size(), pieces)); });
          },
          "values"_a, "pieces"_a, "Fit the line to values without NaN.")
      .def_prop_ro("n", [](const BentLine& self) { return self.columns.size(); })
      .def_ro("rank", &BentLine::rank)
      .def_ro("has_groups_only", &BentLine::has_groups_only, "True if it is the projector on groups.")
      .def_prop_ro(
          "invariants", [](const BentLine& self) { return to_numpy(self.invariants); },
          nb::rv_policy::automatic, "T, T2, T3, S2, S3, B1, R, U.")
      .def(
          "basis",
          [](const BentLine& self) {
            std::vector<double> rows(self.columns.size() * self.rank);
            for (std::size_t k = 0; k < self.columns.size(); ++k) self.row(k, rows.data() + k * self.rank);
            return to_rows(std::move(rows), self.columns.size(), self.rank);
          },
          "Return the orthonormal basis, one row per value.");
  m.def("pieces_for", &pieces_for, "n"_a, "Return the number of pieces of a bent line through n rows.");
}

template <class Columns>
void bind_bent_traces(nb::module_& m) {
  m.def(
      "bent_traces",
      [](const BentColumns& x, const Columns& y, In<std::int64_t> first, In<std::int64_t> second) {
        return of_pairs(x, y, first, second,
                        [&](const PairIndices& pairs) { return bent_traces(x, y, pairs); });
      },
      "x"_a, "y"_a, "first"_a, "second"_a,
      "Return the figures of table_traces for bent lines of x. In place of x's groups: the rank plus one, or "
      "at rank 1 the distinct values up to 10. Smallest groups are 0 unless the line is groups alone.");
}

}  // namespace

void bind_traces(nb::module_& m) {
  bind_columns(m);
  bind_bent_line(m);
  bind_bent_traces<NumberColumns>(m);
  bind_bent_traces<LabelColumns>(m);
  m.def(
      "table_traces",
      [](const LabelColumns& x, const LabelColumns& y, In<std::int64_t> first, In<std::int64_t> second,
         const std::string& y_weights) {
        const Weights weights = weights_of(y_weights);
        return of_pairs(x, y, first, second,
                        [&](const PairIndices& pairs) { return table_traces(x, y, pairs, weights); });
      },
      "x"_a, "y"_a, "first"_a, "second"_a, "y_weights"_a,
      "Return tr(A B) of each pair, A the projector on x, and the invariants of A and B. Then rows, groups "
      "of x and y, and smallest groups of x and y.");
  m.def(
      "group_traces",
      [](const LabelColumns& labels, const NumberColumns& numbers, In<std::int64_t> first,
         In<std::int64_t> second, const std::string& weights) {
        const Weights kind = weights_of(weights);
        return of_pairs(labels, numbers, first, second,
                        [&](const PairIndices& pairs) { return group_traces(labels, numbers, pairs, kind); });
      },
      "labels"_a, "numbers"_a, "first"_a, "second"_a, "weights"_a,
      "Return the figures of table_traces for labels and numbers, whose distinct values are counted up to "
      "10.");
  m.def(
      "table_information",
      [](const LabelColumns& x, const LabelColumns& y, In<std::int64_t> first, In<std::int64_t> second,
         double max_operations) {
        return of_pairs(x, y, first, second, [&](const PairIndices& pairs) {
          return table_information(x, y, pairs, max_operations);
        });
      },
      "x"_a, "y"_a, "first"_a, "second"_a, "max_operations"_a,
      "Return n times mutual information of each pair in nats, its bound, mean and variance (NaN if too "
      "costly). Then rows, groups of x and y, and smallest groups of x and y.");
}

}  // namespace bychance
