// P-values of whole tables: a screen of complete columns for the best pairs, orders and false discovery
// rates.
#include "distributions/p_values.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "bindings/arrays.hpp"
#include "distributions/line_block.hpp"

namespace bychance {
namespace {

LineBlock block_of(const CompleteLines& x, const CompleteLines& y, std::size_t n_rows,
                   const InRows<double>& products, const In<std::int64_t>& first,
                   const In<std::int64_t>& second) {
  const std::size_t n_x = x.sides.size(), n_y = y.sides.size();
  require(products.shape(0) == n_x && products.shape(1) == n_y, "one product per x and y");
  return {x, y, products.data(), pairs_of(first, n_x, second, n_y), n_rows};
}

constexpr Named<RankedBy> kScores[] = {{"observed", RankedBy::observed},
                                       {"adjusted", RankedBy::adjusted},
                                       {"standardized", RankedBy::standardized},
                                       {"adjusted_at", RankedBy::adjusted_at},
                                       {"p_value", RankedBy::p_value}};

// Others and rows apart are one row each.
TieLimits limits_of(const InRows<std::int64_t>& counts, const In<double>& floor, std::size_t count) {
  require(counts.shape(0) == 2 && counts.shape(1) == count && floor.size() == count, "one limit per column");
  return {counts.data(), counts.data() + count, floor.data()};
}

void bind_screen(nb::module_& m) {
  nb::class_<CompleteLines>(m, "CompleteLines", "Columns without missing values, as lines.")
      .def(
          "__init__",
          [](CompleteLines* self, In<double> mean, In<double> norm, InRows<double> invariants,
             In<bool> is_sound, In<std::int64_t> distinct) {
            const std::size_t count = mean.size();
            require(norm.size() == count && invariants.shape(0) == count && is_sound.size() == count &&
                        distinct.size() == count,
                    "one entry per column");
            new (self) CompleteLines{held(mean), held(norm), held(is_sound), held(distinct),
                                     sides_of<MatchedSide>(invariants)};
          },
          "mean"_a, "norm"_a, "invariants"_a, "is_sound"_a, "distinct"_a);
  m.def(
      "line_correlations",
      [](const CompleteLines& x, const CompleteLines& y, std::size_t n, InRows<double> products,
         In<std::int64_t> first, In<std::int64_t> second) {
        return filled<double>(first.size(), [&](double* r) {
          const LineBlock block = block_of(x, y, n, products, first, second);
          for (std::size_t k = 0; k < block.pairs.count; ++k) r[k] = block.correlation(k);
        });
      },
      "x"_a, "y"_a, "n"_a, "products"_a, "first"_a, "second"_a,
      "Return the correlations of pairs of lines of n rows, from the sums of products of all x with all y.");
  nb::class_<Leaders>(m, "Leaders", "The best scores among all that threads have met.")
      .def(nb::init<std::size_t>(), "size"_a)
      .def_prop_ro("least", &Leaders::least, "Smallest of the best scores, -inf until there are enough.");
  m.def(
      "screen_lines",
      [](const CompleteLines& x, const CompleteLines& y, std::size_t n, InRows<double> products,
         In<std::int64_t> first, In<std::int64_t> second, InRows<std::int64_t> x_counts,
         InRows<std::int64_t> y_counts, In<double> x_floor, In<double> y_floor, bool is_automatic,
         double close, const std::string& by, double alpha, double least, Leaders& leaders,
         Total<double> p_values) {
        require(p_values.size() == first.size(), "one p-value per pair");
        const ScreenOptions options{is_automatic, close, named(kScores, by, "there is no such score"), alpha,
                                    least};
        Wanted wanted = released([&] {
          const TieLimits x_ties = limits_of(x_counts, x_floor, x.sides.size());
          const TieLimits y_ties = limits_of(y_counts, y_floor, y.sides.size());
          return screen_lines(block_of(x, y, n, products, first, second), x_ties, y_ties, options, leaders,
                              p_values.data());
        });
        return std::tuple_cat(to_tuple(wanted.at, wanted.scores), std::make_tuple(wanted.are_all_known));
      },
      "x"_a, "y"_a, "n"_a, "products"_a, "first"_a, "second"_a, "x_counts"_a, "y_counts"_a, "x_floor"_a,
      "y_floor"_a, "is_automatic"_a, "close"_a, "by"_a, "alpha"_a, "least"_a, "leaders"_a,
      "p_values"_a.noconvert(),
      "Write p of each pair, NaN if others have to compute it. Return the pairs that may be among the best, "
      "their scores (infinity if they are kept at any score), and True if all of these are computed.");
  m.def(
      "put_runs",
      [](Total<double> into, In<std::int64_t> starts, In<std::int64_t> first, In<double> values) {
        require(first.size() == values.size(), "one value per pair");
        require_below(first, starts.size(), "first must number the starts");
        nb::gil_scoped_release release;
        for (std::size_t k = 0, end; k < first.size(); k = end) {
          const std::int64_t run = first.data()[k], start = starts.data()[run];
          for (end = k; end < first.size() && first.data()[end] == run;) ++end;
          require(start >= 0 && static_cast<std::size_t>(start) + (end - k) <= into.size(),
                  "runs must lie within the array");
          std::copy(values.data() + k, values.data() + end, into.data() + start);
        }
      },
      "into"_a.noconvert(), "starts"_a, "first"_a, "values"_a,
      "Write the values of each run of equal `first` from starts[first] on.");
}

template <class T>
void require_countable(const T& values) {
  require(values.size() < std::numeric_limits<std::uint32_t>::max(), "too many values to number");
}

void require_p_values(const Tests& tests) {
  require(tests.count == 0 || (tests.least >= 0 && tests.largest <= 1), "p-values must lie in [0, 1]");
}

}  // namespace

void bind_p_values(nb::module_& m) {
  bind_screen(m);
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
        require_countable(p);
        Tests tests;
        LowerHull hull = released([&] {
          tests = tests_of(p.data(), p.size(), n_threads);
          require_p_values(tests);
          return lower_hull(p.data(), p.size(), tests, n_threads);
        });
        return std::tuple_cat(std::make_tuple(tests.count), to_tuple(hull.ranks, hull.values));
      },
      "p"_a, "n_threads"_a = 1,
      "Count the p-values that are not NaN, and return ranks and values of the corners of the lower convex "
      "hull of (rank, p).");
}

}  // namespace bychance
