// Pairs of complete columns as lines, a block of them at once: correlations, and a screen for the best.
#include "distributions/line_block.hpp"

#include <algorithm>

#include "bindings/sides.hpp"

namespace bychance {
namespace {

// Complete columns, checked once, however many blocks they are in.
struct BoundLines {
  In<double> mean, norm;
  In<bool> is_sound;
  In<std::int64_t> distinct;
  CompleteLines lines;
};

LineBlock block_of(const BoundLines& x, const BoundLines& y, std::size_t n_rows,
                   const InRows<double>& products, const In<std::int64_t>& first,
                   const In<std::int64_t>& second) {
  const std::size_t n_x = x.lines.sides.size(), n_y = y.lines.sides.size();
  require(products.shape(0) == n_x && products.shape(1) == n_y, "one product per x and y");
  return {x.lines, y.lines, products.data(), pairs_of(first, n_x, second, n_y), n_rows};
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

}  // namespace

void bind_line_block(nb::module_& m) {
  nb::class_<BoundLines>(m, "CompleteLines", "Columns without missing values, as lines.")
      .def(
          "__init__",
          [](BoundLines* self, In<double> mean, In<double> norm, InRows<double> invariants, In<bool> is_sound,
             In<std::int64_t> distinct) {
            const std::size_t count = mean.size();
            require(norm.size() == count && invariants.shape(0) == count && is_sound.size() == count &&
                        distinct.size() == count,
                    "one entry per column");
            new (self) BoundLines{mean,
                                  norm,
                                  is_sound,
                                  distinct,
                                  {mean.data(), norm.data(), is_sound.data(), distinct.data(),
                                   sides_of<MatchedSide>(invariants)}};
          },
          "mean"_a, "norm"_a, "invariants"_a, "is_sound"_a, "distinct"_a);
  m.def(
      "line_correlations",
      [](const BoundLines& x, const BoundLines& y, std::size_t n, InRows<double> products,
         In<std::int64_t> first, In<std::int64_t> second) {
        return to_numpy(released([&] {
          const LineBlock block = block_of(x, y, n, products, first, second);
          std::vector<double> r(block.pairs.count);
          for (std::size_t k = 0; k < r.size(); ++k) r[k] = block.correlation(k);
          return r;
        }));
      },
      "x"_a, "y"_a, "n"_a, "products"_a, "first"_a, "second"_a,
      "Return the correlations of pairs of lines of n rows, from the sums of products of all x with all y.");
  nb::class_<Leaders>(m, "Leaders", "The best scores among all that threads have met.")
      .def(nb::init<std::size_t>(), "size"_a)
      .def_prop_ro("least", &Leaders::least, "Smallest of the best scores, -inf until there are enough.");
  m.def(
      "screen_lines",
      [](const BoundLines& x, const BoundLines& y, std::size_t n, InRows<double> products,
         In<std::int64_t> first, In<std::int64_t> second, InRows<std::int64_t> x_counts,
         InRows<std::int64_t> y_counts, In<double> x_floor, In<double> y_floor, bool is_automatic,
         double close, const std::string& by, double alpha, double least, Leaders& leaders,
         Total<double> p_values) {
        require(p_values.size() == first.size(), "one p-value per pair");
        const ScreenOptions options{is_automatic, close, named(kScores, by, "there is no such score"), alpha,
                                    least};
        Wanted wanted = released([&] {
          const TieLimits x_ties = limits_of(x_counts, x_floor, x.lines.sides.size());
          const TieLimits y_ties = limits_of(y_counts, y_floor, y.lines.sides.size());
          return screen_lines(block_of(x, y, n, products, first, second), x_ties, y_ties, options, leaders,
                              p_values.data());
        });
        return std::make_tuple(to_numpy(std::move(wanted.at)), to_numpy(std::move(wanted.scores)),
                               wanted.are_all_known);
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

}  // namespace bychance
