// P-values of whole tables: a screen of complete columns for the best pairs, orders and false discovery
// rates.
#include "distributions/p_values.hpp"

#include <algorithm>
#include <limits>

#include "bindings/arrays.hpp"
#include "distributions/line_block.hpp"

namespace bychance {

template <>
inline constexpr Named<RankedBy> kNames<RankedBy>[] = {{"observed", RankedBy::observed},
                                                       {"adjusted", RankedBy::adjusted},
                                                       {"standardized", RankedBy::standardized},
                                                       {"adjusted_at", RankedBy::adjusted_at},
                                                       {"p_value", RankedBy::p_value}};

namespace {

// One row each of the others, the rows outside the largest cluster, and the least p-value.
TieLimits limits_of(const InRows<double>& rows, std::size_t count) {
  require(rows.rows == 3 && rows.columns == count, "three limits per column");
  return {rows.row(0), rows.row(1), rows.row(2)};
}

void bind_screen(nb::module_& m) {
  nb::class_<CompleteLines>(m, "CompleteLines", "Columns without missing values, as lines.")
      .def(
          "__init__",
          [](CompleteLines* self, SharedArray<double> mean, SharedArray<double> norm,
             InRows<double> invariants, SharedArray<bool> is_sound, SharedArray<std::int64_t> distinct) {
            const std::size_t count = mean.size;
            require(norm.size == count && invariants.rows == count && is_sound.size == count &&
                        distinct.size == count,
                    "one entry per column");
            new (self) CompleteLines{std::move(mean), std::move(norm), std::move(is_sound),
                                     std::move(distinct), sides_of<MatchedSide>(invariants)};
          },
          "mean"_a, "norm"_a, "invariants"_a, "is_sound"_a, "distinct"_a);
  nb::class_<Leaders>(m, "Leaders", "The best scores among all that threads have met.")
      .def(nb::init<std::size_t>(), "size"_a)
      .def_prop_ro("least", &Leaders::least, "Smallest of the best scores, -inf until there are enough.");
  m.def(
      "screen_lines",
      [](const CompleteLines& x, const CompleteLines& y, std::size_t n, InRows<double> products,
         In<std::int64_t> first, In<std::int64_t> second, InRows<double> x_limits, InRows<double> y_limits,
         bool is_automatic, double close, Choice<RankedBy> by, double alpha, double least, Leaders& leaders,
         Span<double> p_values) {
        require(p_values.size == first.size, "one p-value per pair");
        const std::size_t n_x = x.sides.size(), n_y = y.sides.size();
        require(products.rows == n_x && products.columns == n_y, "one product per x and y");
        const LineBlock block{x, y, products.data, pairs_of(first, n_x, second, n_y), n};
        Wanted wanted = screen_lines(block, limits_of(x_limits, n_x), limits_of(y_limits, n_y),
                                     {is_automatic, close, by, alpha, least}, leaders, p_values.data);
        return moved(wanted.at, wanted.scores, wanted.are_all_known);
      },
      "x"_a, "y"_a, "n"_a, "products"_a, "first"_a, "second"_a, "x_limits"_a, "y_limits"_a, "is_automatic"_a,
      "close"_a, "by"_a, "alpha"_a, "least"_a, "leaders"_a, "p_values"_a, without_gil,
      "Write p of each pair, NaN if others have to compute it. Return the pairs that may be among the best, "
      "their scores (infinity if they are kept at any score), and True if all of these are computed.");
  m.def(
      "put_runs",
      [](Span<double> into, In<std::int64_t> starts, In<std::int64_t> first, In<double> values) {
        require(first.size == values.size, "one value per pair");
        require_below(first, starts.size, "first must number the starts");
        for (std::size_t k = 0, end; k < first.size; k = end) {
          const std::int64_t run = first[k], start = starts[run];
          for (end = k; end < first.size && first[end] == run;) ++end;
          require(start >= 0 && static_cast<std::size_t>(start) + (end - k) <= into.size,
                  "runs must lie within the array");
          std::copy(values.data + k, values.data + end, into.data + start);
        }
      },
      "into"_a, "starts"_a, "first"_a, "values"_a, without_gil,
      "Write the values of each run of equal `first` from starts[first] on.");
}

template <class T>
void require_countable(const Span<T>& values) {
  require(values.size < std::numeric_limits<std::uint32_t>::max(), "too many values to number");
}

void require_p_values(const Tests& tests) {
  require(tests.count == 0 || (tests.least >= 0 && tests.largest <= 1), "p-values must lie in [0, 1]");
}

}  // namespace

void bind_p_values(nb::module_& m) {
  bind_screen(m);
  m.def(
      "descending_order",
      [](In<double> first, In<float> second) {
        require_countable(first);
        require(!second.data || second.size == first.size, "both keys must be of one length");
        return descending_order(first.data, second.data, first.size);
      },
      "first"_a, "second"_a.none() = nb::none(), without_gil,
      "Return the numbers of the values in descending order, NaN last, ties by `second`, then by number.");
  m.def(
      "false_discovery_rates",
      [](Span<double> p, double factor) {
        require_countable(p);
        false_discovery_rates(p.data, p.size, factor);
      },
      "p"_a, "factor"_a, without_gil, "Turn p-values into q-values in place. NaN stays.");
  nb::class_<Tests>(m, "Tests", "Count, smallest and largest of many p-values without NaN.")
      .def(
          "__init__",
          [](Tests* self, In<double> p, std::size_t n_threads) {
            new (self) Tests(tests_of(p.data, p.size, n_threads));
          },
          "p"_a, "n_threads"_a = 1, without_gil)
      .def_ro("count", &Tests::count)
      .def_ro("least", &Tests::least, "Smallest p-value, inf if there is none.");
  m.def(
      "some_false_discovery_rates",
      [](In<double> p, const Tests& tests, double factor, double level, Span<double> wanted,
         std::size_t n_threads) {
        require_countable(p);
        require_p_values(tests);
        return some_false_discovery_rates(p.data, p.size, tests, factor, level, n_threads, wanted.data,
                                          wanted.size);
      },
      "p"_a, "tests"_a, "factor"_a, "level"_a, "wanted"_a, "n_threads"_a = 1, without_gil,
      "Turn the wanted p-values into q-values in place, as false_discovery_rates would, and count all "
      "q-values below the level. `tests` describe the same p-values.");
  m.def(
      "lower_hull",
      [](In<double> p, std::size_t n_threads) {
        require_countable(p);
        Tests tests = tests_of(p.data, p.size, n_threads);
        require_p_values(tests);
        LowerHull hull = lower_hull(p.data, p.size, tests, n_threads);
        return moved(tests.count, hull.ranks, hull.values);
      },
      "p"_a, "n_threads"_a = 1, without_gil,
      "Count the p-values that are not NaN, and return ranks and values of the corners of the lower convex "
      "hull of (rank, p).");
}

}  // namespace bychance
