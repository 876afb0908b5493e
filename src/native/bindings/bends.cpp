// Lines that bend at the quantiles of a column: one column, and whole tables of pairs.
#include "pairs/bends.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <cmath>

#include "bindings/arrays.hpp"
#include "pairs/bent_traces.hpp"

namespace bychance {
namespace {

void bind_line(nb::module_& m) {
  nb::class_<BentLine>(m, "BentLine",
                       "The projector on all lines that may bend at the quantiles of a column.")
      .def_static(
          "of",
          [](In<double> values, std::size_t pieces) {
            require(pieces >= 1 && pieces <= kMostPieces, "pieces must be from 1 to 5");
            for (std::size_t k = 0; k < values.size(); ++k) {
              require(!std::isnan(values.data()[k]), "values must not be NaN");
            }
            nb::gil_scoped_release released;
            return std::make_shared<BentLine>(bent_line(values.data(), values.size(), pieces));
          },
          "values"_a, "pieces"_a, "That of these values, of which none is NaN.")
      .def_prop_ro("n", [](const BentLine& self) { return self.columns.size(); })
      .def_ro("rank", &BentLine::rank)
      .def_ro("has_groups_only", &BentLine::has_groups_only, "Whether it is the projector on groups.")
      .def_prop_ro(
          "invariants",
          [](const BentLine& self) {
            return to_numpy(std::vector<double>(self.invariants.begin(), self.invariants.end()));
          },
          nb::rv_policy::automatic, "T, T2, T3, S2, S3, B1, R, U.")
      .def(
          "basis",
          [](const BentLine& self) {
            std::vector<double> rows(self.columns.size() * self.rank);
            for (std::size_t k = 0; k < self.columns.size(); ++k) self.row(k, rows.data() + k * self.rank);
            return to_rows(std::move(rows), self.columns.size(), self.rank);
          },
          "Its orthonormal basis, one row per value.");
  m.def("pieces_for", &pieces_for, "n"_a, "Pieces of a bent line through so many rows.");
  m.def(
      "find_bends",
      [](In<double> ascending, std::size_t pieces) {
        require(pieces >= 1 && pieces <= kMostPieces, "pieces must be from 1 to 5");
        Bends bends = find_bends(ascending.data(), ascending.size(), pieces);
        return std::make_tuple(to_numpy(std::move(bends.own)), to_numpy(std::move(bends.knots)));
      },
      "ascending"_a, "pieces"_a, "Values that are groups of their own, and knots of the other rows.");
}

template <class Columns>
void bind_traces(nb::module_& m) {
  m.def(
      "bent_traces",
      [](const BentColumns& x, const Columns& y, In<std::int64_t> first, In<std::int64_t> second) {
        require(x.n_rows == y.n_rows, "columns must be of one length");
        require(first.size() == second.size(), "one first and one second column a pair");
        require_below(first, x.columns.size(), "first must number the columns of x");
        require_below(second, y.columns.size(), "second must number the columns of y");
        const std::size_t count = first.size();
        BentTraces out(count);
        {
          nb::gil_scoped_release released;
          bent_traces(x, y, {first.data(), second.data(), count}, out);
        }
        return std::make_tuple(
            to_numpy(std::move(out.trace)), to_rows(std::move(out.x_invariants), count, kInvariants),
            to_rows(std::move(out.y_invariants), count, kInvariants), to_numpy(std::move(out.n)),
            to_numpy(std::move(out.x_distinct)), to_numpy(std::move(out.y_distinct)),
            to_numpy(std::move(out.x_smallest)), to_numpy(std::move(out.y_smallest)));
      },
      "x"_a, "y"_a, "first"_a, "second"_a,
      "Of each pair tr(A B), A the projector on bent lines of x, the invariants of both; then rows, the rank "
      "of A and one more (of rank 1 the distinct values, up to 10), groups of y, and smallest groups, 0 "
      "where there are no groups alone.");
}

}  // namespace

void bind_bends(nb::module_& m) {
  bind_line(m);
  nb::class_<BentColumns>(m, "BentColumns", "Columns of numbers, made ready for lines that bend with them.")
      .def(
          "__init__",
          [](BentColumns* self, std::size_t most_pieces, bool is_ranked) {
            require(most_pieces >= 1 && most_pieces <= kMostPieces, "most_pieces must be from 1 to 5");
            new (self) BentColumns{most_pieces, is_ranked, 0, {}};
          },
          "most_pieces"_a = kMostPieces, "is_ranked"_a = false)
      .def(
          "add",
          [](BentColumns& self, In<double> values) {
            require(self.columns.empty() || values.size() == self.n_rows, "columns must be of one length");
            nb::gil_scoped_release released;
            self.add(values.data(), values.size());
          },
          "values"_a, "One more column, of midranks where they are ranked; NaN is missing.");
  bind_traces<NumberColumns>(m);
  bind_traces<LabelColumns>(m);
}

}  // namespace bychance
