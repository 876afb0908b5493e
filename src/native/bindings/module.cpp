// The core of the module: arrays in, arrays out, the GIL released in between. Only bindings know both Python
// and the kernels.
#include <numeric>

#include "bindings/arrays.hpp"
#include "bindings/stop.hpp"
#include "nulls/arrangements.hpp"
#include "nulls/information_moments.hpp"
#include "nulls/philox.hpp"
#include "nulls/ranks.hpp"
#include "nulls/table_law.hpp"
#include "nulls/trace_moments.hpp"

namespace bychance {
namespace {

std::vector<std::int64_t> totals_of(const In<std::int64_t>& totals) {
  require(totals.size() > 0, "totals must not be empty");
  for (std::size_t k = 0; k < totals.size(); ++k)
    require(totals.data()[k] >= 0, "totals must not be negative");
  return {totals.data(), totals.data() + totals.size()};
}

void require_same_sum(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns) {
  require(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}) ==
              std::accumulate(columns.begin(), columns.end(), std::int64_t{0}),
          "row and column totals must have the same sum");
}

void bind_arrangements(nb::module_& m) {
  nb::class_<Arrangements>(m, "Arrangements", "Every distinct arrangement of a sample with ties.")
      .def(
          "__init__",
          [](Arrangements* self, In<std::int32_t> codes) {
            new (self) Arrangements(codes.data(), codes.size());
          },
          "codes"_a)
      .def(
          "next",
          [](Arrangements& self, std::size_t capacity, std::size_t n) {
            require(n == self.n(), "n must be the number of codes");
            std::vector<std::int32_t> out(capacity * n);
            const std::size_t written = self.next(capacity, out.data());
            out.resize(written * n);
            return to_rows(std::move(out), written, n);
          },
          "capacity"_a, "n"_a, "The next arrangements, at most `capacity`; none at the end.");
  m.def(
      "philox_block",
      [](Key key, Key low_counter) {
        const std::uint64_t counter[4] = {std::get<0>(low_counter), std::get<1>(low_counter), 0, 0};
        std::vector<std::uint64_t> words(4);
        philox_blocks<1>({std::get<0>(key), std::get<1>(key)}, counter, words.data());
        return to_numpy(std::move(words));
      },
      "key"_a, "low_counter"_a, "Four words of the generator at counter (low, high, 0, 0).");
}

void bind_trace(nb::module_& m) {
  m.def(
      "trace_moments",
      [](In<double> x, In<double> y, double n) {
        require(x.size() == kInvariants && y.size() == kInvariants, "eight invariants a variable");
        const TraceMoments moments = trace_moments(TraceSide(x.data()), TraceSide(y.data()), TraceFactors(n));
        return std::make_tuple(moments.mean, moments.variance, moments.third);
      },
      "x"_a, "y"_a, "n"_a, "Mean, variance and third central moment of tr(A B) over all pairings.");
  m.def(
      "line_invariants",
      [](In<double> line) {
        std::vector<double> out(kInvariants);
        line_invariants(line.data(), line.size(), out.data());
        return to_numpy(std::move(out));
      },
      "line"_a, "The eight invariants of cc', c centered and of unit norm.");
  m.def(
      "partition_invariants",
      [](In<std::int64_t> sizes, In<double> weights) {
        require(sizes.size() == weights.size() && sizes.size() > 0, "one weight a group");
        std::vector<double> out(kInvariants);
        partition_invariants(sizes.data(), weights.data(), sizes.size(), out.data());
        return to_numpy(std::move(out));
      },
      "sizes"_a, "weights"_a, "The eight invariants of a centered, weighted group indicator.");
  m.def(
      "distance_invariants",
      [](In<double> values) {
        require(values.size() >= 4, "at least four rows");
        std::vector<double> out(kInvariants);
        distance_invariants(values.data(), values.size(), out.data());
        return to_numpy(std::move(out));
      },
      "values"_a, "The eight invariants of the U-centered distances of ascending values.");
}

void bind_ranks(nb::module_& m) {
  m.def(
      "kendall_law",
      [](In<std::int64_t> tie_groups) {
        std::vector<double> law;
        {
          nb::gil_scoped_release released;
          law = kendall_law(tie_groups.data(), tie_groups.size());
        }
        return to_numpy(std::move(law));
      },
      "tie_groups"_a, "Probabilities of 0, 1, … discordant pairs, ties in one variable at most.");
}

void bind_tables(nb::module_& m) {
  m.def(
      "table_law",
      [](const std::string& function, In<std::int64_t> rows, In<std::int64_t> columns,
         double max_operations) {
        const CellFunction kind = cell_function_of(function);
        const auto row_totals = totals_of(rows), column_totals = totals_of(columns);
        require_same_sum(row_totals, column_totals);
        DiscreteLaw law;
        {
          nb::gil_scoped_release released;
          law = table_law(kind, row_totals, column_totals, max_operations);
        }
        return std::make_tuple(to_numpy(std::move(law.values)), to_numpy(std::move(law.probabilities)));
      },
      "function"_a, "rows"_a, "columns"_a, "max_operations"_a,
      "Values and probabilities over all tables with these totals; OverflowError past the budget.");
  m.def(
      "information_mean",
      [](In<std::int64_t> rows, In<std::int64_t> columns) {
        const auto row_totals = totals_of(rows), column_totals = totals_of(columns);
        require_same_sum(row_totals, column_totals);
        nb::gil_scoped_release released;
        return information_mean(row_totals, column_totals);
      },
      "rows"_a, "columns"_a, "Mean of n times mutual information in nats over all tables with these totals.");
  m.def(
      "information_moments",
      [](In<std::int64_t> rows, In<std::int64_t> columns, double max_operations) {
        const auto row_totals = totals_of(rows), column_totals = totals_of(columns);
        require_same_sum(row_totals, column_totals);
        nb::gil_scoped_release released;
        const InformationMoments found = information_moments(row_totals, column_totals, max_operations);
        return std::make_tuple(found.mean, found.variance);
      },
      "rows"_a, "columns"_a, "max_operations"_a,
      "That mean, and the variance; OverflowError past the budget.");
}

void bind_stop(nb::module_& m) {
  nb::class_<Stop>(m, "Stop", "Ends the calls that are given it, from another thread.")
      .def(nb::init<>())
      .def("set", [](Stop& self) { self.is_set = true; })
      .def_prop_ro("is_set", [](const Stop& self) { return self.is_set.load(); })
      .def_prop_ro("n_at_work", [](const Stop& self) { return self.n_at_work.load(); })
      .def("__reduce__", [](nb::handle self) -> nb::typed<nb::tuple, nb::any, nb::any> {
        return nb::make_tuple(self.type(), nb::make_tuple());
      });
}

}  // namespace
}  // namespace bychance

NB_MODULE(_native, m) {
  m.doc() = "C++ kernels of bychance: arrays and scalars in, arrays out.";
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const std::length_error& e) {
      PyErr_SetString(PyExc_OverflowError, e.what());
    }
  });
  bychance::bind_stop(m);
  bychance::bind_arrangements(m);
  bychance::bind_trace(m);
  bychance::bind_ranks(m);
  bychance::bind_tables(m);
  bychance::bind_mic(m);
  bychance::bind_mic_pairs(m);
  bychance::bind_labels(m);
  bychance::bind_bends(m);
  bychance::bind_sampling(m);
  bychance::bind_lines(m);
  bychance::bind_kernel_arrays(m);
  bychance::bind_text(m);
  bychance::bind_batches(m);
  bychance::bind_ordering(m);
  bychance::bind_laws(m);
  bychance::bind_line_block(m);
  bychance::bind_matching(m);
  bychance::bind_forest(m);
}
