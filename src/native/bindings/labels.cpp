// Kernels over many pairs of columns of which one or both hold labels: arrays in, arrays out, the GIL
// released in between.
#include "bindings/arrays.hpp"
#include "nulls/trace_moments.hpp"
#include "pairs/groups.hpp"
#include "pairs/tables.hpp"

namespace bychance {
namespace {

// Rows, groups of x and of y, and the smallest group of each.
auto sizes_to_numpy(TableSizes&& sizes) {
  return std::make_tuple(to_numpy(std::move(sizes.n)), to_numpy(std::move(sizes.x_distinct)),
                         to_numpy(std::move(sizes.y_distinct)), to_numpy(std::move(sizes.x_smallest)),
                         to_numpy(std::move(sizes.y_smallest)));
}

std::vector<TraceSide> sides_of(const InRows<double>& invariants) {
  std::vector<TraceSide> sides;
  sides.reserve(invariants.shape(0));
  for (std::size_t i = 0; i < invariants.shape(0); ++i) {
    sides.emplace_back(invariants.data() + i * kInvariants);
  }
  return sides;
}

void bind_many_traces(nb::module_& m) {
  m.def(
      "trace_moments_many",
      [](InRows<double> x, InRows<double> y, In<double> n, In<std::int64_t> x_at, In<std::int64_t> y_at) {
        const std::size_t count = n.size();
        require(x_at.size() == count && y_at.size() == count, "one number of rows a pair");
        require(x.shape(1) == kInvariants && y.shape(1) == kInvariants, "eight invariants a variable");
        std::vector<double> mean(count), variance(count), third(count), normal(count);
        {
          nb::gil_scoped_release released;
          require_below(x_at, x.shape(0), "x_at must number the rows of x");
          require_below(y_at, y.shape(0), "y_at must number the rows of y");
          const auto put = [&](std::size_t k, const TraceSide& a, const TraceSide& b) {
            const TraceMoments moments = trace_moments(a, b, TraceFactors(n.data()[k]));
            mean[k] = moments.mean;
            variance[k] = moments.variance;
            third[k] = moments.third;
            normal[k] = moments.normal_variance;
          };
          const std::int64_t *first = x_at.data(), *second = y_at.data();
          if (x.shape(0) + y.shape(0) <= count) {  // each is in several pairs
            const auto x_sides = sides_of(x), y_sides = sides_of(y);
            for (std::size_t k = 0; k < count; ++k) put(k, x_sides[first[k]], y_sides[second[k]]);
          } else {
            for (std::size_t k = 0; k < count; ++k) {
              put(k, TraceSide(x.data() + first[k] * kInvariants),
                  TraceSide(y.data() + second[k] * kInvariants));
            }
          }
        }
        return std::make_tuple(to_numpy(std::move(mean)), to_numpy(std::move(variance)),
                               to_numpy(std::move(third)), to_numpy(std::move(normal)));
      },
      "x"_a, "y"_a, "n"_a, "x_at"_a, "y_at"_a,
      "trace_moments of pairs of rows of invariants, and the variance if one margin were normal.");
}

Weights weights_of(const std::string& name) {
  require(name == "projector" || name == "indicator", "weights must be 'projector' or 'indicator'");
  return name == "projector" ? Weights::projector : Weights::indicator;
}

template <class First, class Second>
PairIndices pairs_of(const First& x, const Second& y, const In<std::int64_t>& first,
                     const In<std::int64_t>& second) {
  require(x.n_rows == y.n_rows, "columns must be of one length");
  require(first.size() == second.size(), "one first and one second column a pair");
  require_below(first, x.columns.size(), "first must number the columns of x");
  require_below(second, y.columns.size(), "second must number the columns of y");
  return {first.data(), second.data(), first.size()};
}

template <class Columns, class T>
void add_column(Columns& columns, const In<T>& values) {
  require(columns.columns.empty() || values.size() == columns.n_rows, "columns must be of one length");
  nb::gil_scoped_release released;
  columns.add(values.data(), values.size());
}

void bind_columns(nb::module_& m) {
  nb::class_<LabelColumns>(m, "LabelColumns", "Columns of labels, made ready to be counted against others.")
      .def(nb::init<>())
      .def("add", &add_column<LabelColumns, std::int32_t>, "codes"_a,
           "One more column; a negative code is missing.");
  nb::class_<NumberColumns>(m, "NumberColumns", "Columns of numbers, made ready to be summed over groups.")
      .def(nb::init<>())
      .def("add", &add_column<NumberColumns, double>, "values"_a, "One more column; NaN is missing.");
}

void bind_pairs(nb::module_& m) {
  m.def(
      "table_traces",
      [](const LabelColumns& x, const LabelColumns& y, In<std::int64_t> first, In<std::int64_t> second,
         const std::string& y_weights) {
        const PairIndices pairs = pairs_of(x, y, first, second);
        const Weights weights = weights_of(y_weights);
        TableTraces out(pairs.count);
        {
          nb::gil_scoped_release released;
          table_traces(x, y, pairs, weights, out);
        }
        return std::tuple_cat(std::make_tuple(to_numpy(std::move(out.trace)),
                                              to_rows(std::move(out.x_invariants), pairs.count, kInvariants),
                                              to_rows(std::move(out.y_invariants), pairs.count, kInvariants)),
                              sizes_to_numpy(std::move(out.sizes)));
      },
      "x"_a, "y"_a, "first"_a, "second"_a, "y_weights"_a,
      "Of each pair tr(A B), A the projector on x, the invariants of both; then rows, groups and smallest "
      "groups.");
  m.def(
      "table_information",
      [](const LabelColumns& x, const LabelColumns& y, In<std::int64_t> first, In<std::int64_t> second,
         double max_operations) {
        const PairIndices pairs = pairs_of(x, y, first, second);
        TableInformation out(pairs.count);
        {
          nb::gil_scoped_release released;
          table_information(x, y, pairs, max_operations, out);
        }
        return std::tuple_cat(
            std::make_tuple(to_numpy(std::move(out.observed)), to_numpy(std::move(out.bound)),
                            to_numpy(std::move(out.mean)), to_numpy(std::move(out.variance))),
            sizes_to_numpy(std::move(out.sizes)));
      },
      "x"_a, "y"_a, "first"_a, "second"_a, "max_operations"_a,
      "Of each pair n times mutual information in nats, its bound, mean and variance (NaN past the budget); "
      "then rows, groups and smallest groups.");
  m.def(
      "group_traces",
      [](const LabelColumns& labels, const NumberColumns& numbers, In<std::int64_t> first,
         In<std::int64_t> second, const std::string& weights) {
        const PairIndices pairs = pairs_of(labels, numbers, first, second);
        const Weights kind = weights_of(weights);
        GroupTraces out(pairs.count);
        {
          nb::gil_scoped_release released;
          group_traces(labels, numbers, pairs, kind, out);
        }
        return std::make_tuple(to_numpy(std::move(out.n)), to_numpy(std::move(out.trace)),
                               to_rows(std::move(out.label_invariants), pairs.count, kInvariants),
                               to_rows(std::move(out.number_invariants), pairs.count, kInvariants),
                               to_numpy(std::move(out.label_distinct)),
                               to_numpy(std::move(out.number_distinct)));
      },
      "labels"_a, "numbers"_a, "first"_a, "second"_a, "weights"_a,
      "Rows, tr(A B), invariants and distinct values of labels and of numbers of each pair.");
}

}  // namespace

void bind_labels(nb::module_& m) {
  bind_many_traces(m);
  bind_columns(m);
  bind_pairs(m);
}

}  // namespace bychance
