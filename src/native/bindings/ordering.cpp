// Orders of one column, and of a whole table of pairs.
#include <nanobind/stl/optional.h>

#include <limits>
#include <optional>

#include "bindings/arrays.hpp"
#include "core/column_order.hpp"
#include "distributions/p_values.hpp"

namespace bychance {
namespace {

template <class T>
void require_countable(const T& values) {
  require(values.size() < std::numeric_limits<std::uint32_t>::max(), "too many values to number");
}

void require_p_values(const Tests& tests) {
  require(tests.count == 0 || (tests.least >= 0 && tests.largest <= 1), "p-values must lie in [0, 1]");
}

}  // namespace

void bind_ordering(nb::module_& m) {
  m.def(
      "ascending_order",
      [](In<double> values) {
        require(values.size() <= std::numeric_limits<std::int32_t>::max(), "too many values to number");
        std::vector<std::int32_t> order(values.size());
        std::vector<std::int64_t> sizes;
        released([&] {
          const auto rows = ascending_rows(values.data(), values.size());
          sizes.reserve(rows.size());
          for (std::size_t k = 0; k < rows.size(); ++k) {
            order[k] = rows[k].row;
            if (k == 0 || rows[k].key != rows[k - 1].key) sizes.push_back(0);
            ++sizes.back();
          }
        });
        return std::make_tuple(to_numpy(std::move(order)), to_numpy(std::move(sizes)));
      },
      "values"_a,
      "Return the numbers of the values in ascending order, ties by number, and the sizes of tie groups.");
  m.def(
      "are_distinct", [](In<double> values) { return are_distinct(values.data(), values.size()); },
      "values"_a, "Return True if no value occurs twice. None may be NaN.");
  m.def(
      "descending_order",
      [](In<double> first, std::optional<In<float>> second) {
        require_countable(first);
        require(!second || second->size() == first.size(), "both keys must be of one length");
        return to_numpy(released(
            [&] { return descending_order(first.data(), second ? second->data() : nullptr, first.size()); }));
      },
      "first"_a, "second"_a = nb::none(),
      "Return the numbers of the values in descending order, NaN last, ties by `second`, then by number.");
  m.def(
      "false_discovery_rates",
      [](Total<double> p, double factor) {
        require_countable(p);
        released([&] { false_discovery_rates(p.data(), p.size(), factor); });
      },
      "p"_a, "factor"_a, "Turn p-values into q-values in place. NaN stays.");
  nb::class_<Tests>(m, "Tests", "Count, smallest and largest of many p-values without NaN.")
      .def(
          "__init__",
          [](Tests* self, In<double> p, std::size_t n_threads) {
            released([&] { new (self) Tests(tests_of(p.data(), p.size(), n_threads)); });
          },
          "p"_a, "n_threads"_a = 1)
      .def_ro("count", &Tests::count)
      .def_ro("least", &Tests::least, "Smallest p-value, inf if there is none.");
  m.def(
      "some_false_discovery_rates",
      [](In<double> p, const Tests& tests, double factor, double level, Total<double> wanted,
         std::size_t n_threads) {
        require_countable(p);
        require_p_values(tests);
        return released([&] {
          return some_false_discovery_rates(p.data(), p.size(), tests, factor, level, n_threads,
                                            wanted.data(), wanted.size());
        });
      },
      "p"_a, "tests"_a, "factor"_a, "level"_a, "wanted"_a, "n_threads"_a = 1,
      "Turn the wanted p-values into q-values in place, as false_discovery_rates would, and count all "
      "q-values below the level. `tests` describe the same p-values.");
  m.def(
      "lower_hull",
      [](In<double> p, std::size_t n_threads) {
        LowerHull hull = released([&] {
          require_p_values(tests_of(p.data(), p.size(), n_threads));
          return lower_hull(p.data(), p.size(), n_threads);
        });
        return std::make_tuple(hull.n_tests, to_numpy(std::move(hull.ranks)),
                               to_numpy(std::move(hull.values)));
      },
      "p"_a, "n_threads"_a = 1,
      "Count the p-values that are not NaN, and return ranks and values of the corners of the lower convex "
      "hull of (rank, p).");
}

}  // namespace bychance
