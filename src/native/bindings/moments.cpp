// Exact moments and whole laws over all pairings: invariants of matrices, totals of tables, tie groups.
#include <numeric>

#include "bindings/sides.hpp"
#include "distributions/table_law.hpp"
#include "moments/information_moments.hpp"
#include "permutations/ranks.hpp"

namespace bychance {
namespace {

std::vector<std::int64_t> totals_of(const In<std::int64_t>& totals) {
  require(totals.size() > 0, "totals must not be empty");
  for (std::size_t k = 0; k < totals.size(); ++k)
    require(totals.data()[k] >= 0, "totals must not be negative");
  return {totals.data(), totals.data() + totals.size()};
}

// Calls `find(row_totals, column_totals)` without the GIL and returns its result.
template <class Find>
auto of_table(const In<std::int64_t>& rows, const In<std::int64_t>& columns, Find find) {
  const auto row_totals = totals_of(rows), column_totals = totals_of(columns);
  const auto sum_of = [](const std::vector<std::int64_t>& totals) {
    return std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
  };
  require(sum_of(row_totals) == sum_of(column_totals), "row and column totals must have the same sum");
  return released([&] { return find(row_totals, column_totals); });
}

void bind_traces_of_matrices(nb::module_& m) {
  m.def(
      "trace_moments",
      [](InRows<double> x, InRows<double> y, In<double> n, In<std::int64_t> x_at, In<std::int64_t> y_at) {
        const PairIndices pairs = pairs_of(x_at, x.shape(0), y_at, y.shape(0));
        require(n.size() == pairs.count, "one number of rows a pair");
        std::vector<TraceMoments> found;
        found.reserve(pairs.count);
        released([&] {
          over_sides<TraceSide>(x, y, pairs, [&](std::size_t k, const TraceSide& a, const TraceSide& b) {
            found.push_back(trace_moments(a, b, TraceFactors(n.data()[k])));
          });
        });
        return std::make_tuple(field_of(found, &TraceMoments::mean), field_of(found, &TraceMoments::variance),
                               field_of(found, &TraceMoments::third),
                               field_of(found, &TraceMoments::normal_variance));
      },
      "x"_a, "y"_a, "n"_a, "x_at"_a, "y_at"_a,
      "Return mean, variance and third central moment of tr(A B) over all permutations, and the variance "
      "under a normal margin. Each pair is a row of x and a row of y.");
  m.def(
      "line_invariants", [](In<double> line) { return to_numpy(line_invariants(line.data(), line.size())); },
      "line"_a, "Return the eight invariants of cc', c centered and of unit norm.");
  m.def(
      "partition_invariants",
      [](In<std::int64_t> sizes, In<double> weights) {
        require(sizes.size() == weights.size() && sizes.size() > 0, "one weight a group");
        return to_numpy(partition_invariants(sizes.data(), weights.data(), sizes.size()));
      },
      "sizes"_a, "weights"_a, "Return the eight invariants of a centered, weighted group indicator.");
  m.def(
      "distance_invariants",
      [](In<double> values) {
        require(values.size() >= 4, "at least four rows");
        return to_numpy(distance_invariants(values.data(), values.size()));
      },
      "values"_a, "Return the eight invariants of the U-centered distances of ascending values.");
}

}  // namespace

void bind_moments(nb::module_& m) {
  bind_traces_of_matrices(m);
  m.def(
      "kendall_law",
      [](In<std::int64_t> tie_groups) {
        return to_numpy(released([&] { return kendall_law(tie_groups.data(), tie_groups.size()); }));
      },
      "tie_groups"_a,
      "Return the probabilities of 0, 1, … discordant pairs, with ties in at most one variable.");
  m.def(
      "table_law",
      [](const std::string& function, In<std::int64_t> rows, In<std::int64_t> columns,
         double max_operations) {
        const CellFunction kind = cell_function_of(function);
        DiscreteLaw law = of_table(rows, columns, [&](const auto& a, const auto& b) {
          return table_law(kind, a, b, max_operations);
        });
        return std::make_tuple(to_numpy(std::move(law.values)), to_numpy(std::move(law.probabilities)));
      },
      "function"_a, "rows"_a, "columns"_a, "max_operations"_a,
      "Return the values and probabilities of all tables with these totals, or raise OverflowError if that "
      "is too much.");
  m.def(
      "information_mean",
      [](In<std::int64_t> rows, In<std::int64_t> columns) {
        return of_table(rows, columns, information_mean);
      },
      "rows"_a, "columns"_a,
      "Return the mean of n times mutual information, in nats, over all tables with these totals.");
  m.def(
      "information_moments",
      [](In<std::int64_t> rows, In<std::int64_t> columns, double max_operations) {
        const InformationMoments found = of_table(rows, columns, [&](const auto& a, const auto& b) {
          return information_moments(a, b, max_operations);
        });
        return std::make_tuple(found.mean, found.variance);
      },
      "rows"_a, "columns"_a, "max_operations"_a,
      "Return mean and variance of n times mutual information, or raise OverflowError if that is too much.");
}

}  // namespace bychance
