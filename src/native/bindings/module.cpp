// The core of the module: arrays in, arrays out, the GIL released in between. With bindings/mic.cpp the only
// place that knows both Python and the kernels.
#include <numeric>

#include "bindings/arrays.hpp"
#include "bindings/stop.hpp"
#include "nulls/information_moments.hpp"
#include "nulls/permute.hpp"
#include "nulls/ranks.hpp"
#include "nulls/table_law.hpp"
#include "nulls/tables.hpp"
#include "nulls/trace_moments.hpp"

namespace bychance {
namespace {

OutRows<std::int32_t> draw(const PermutationScheme& scheme, Key key, std::uint64_t first, std::size_t count) {
  std::vector<std::int32_t> out(count * scheme.n);
  {
    nb::gil_scoped_release released;
    random_permutations(scheme, {std::get<0>(key), std::get<1>(key)}, first, count, out.data());
  }
  return to_rows(std::move(out), count, scheme.n);
}

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

CellFunction cell_function_of(const std::string& name) {
  constexpr std::pair<const char*, CellFunction> names[] = {{"gain", CellFunction::gain},
                                                            {"contingency", CellFunction::contingency},
                                                            {"information", CellFunction::information},
                                                            {"together", CellFunction::together},
                                                            {"diagonal", CellFunction::diagonal}};
  for (const auto& [known, function] : names) {
    if (name == known) return function;
  }
  throw nb::value_error("function must be 'gain', 'contingency', 'information', 'together' or 'diagonal'");
}

TiedOrder order_of(const In<std::int32_t>& order, const In<std::int64_t>& tie_groups) {
  require_below(order, order.size(), "order must hold row numbers");
  std::int64_t total = 0;
  for (std::size_t g = 0; g < tie_groups.size(); ++g) {
    require(tie_groups.data()[g] > 0, "tie groups must be positive");
    total += tie_groups.data()[g];
  }
  require(static_cast<std::size_t>(total) == order.size(), "tie groups must sum to the number of rows");
  return {order.data(), tie_groups.data(), tie_groups.size()};
}

void bind_permutations(nb::module_& m) {
  m.def(
      "permutations",
      [](Key key, std::uint64_t first, std::size_t count, std::size_t n) {
        return draw(PermutationScheme::free(n), key, first, count);
      },
      "key"_a, "first"_a, "count"_a, "n"_a, "Draws first, first+1, … of a stream: random permutations.");
  m.def(
      "permutations_within",
      [](Key key, std::uint64_t first, std::size_t count, In<std::int32_t> strata) {
        return draw(PermutationScheme::within(strata.data(), strata.size()), key, first, count);
      },
      "key"_a, "first"_a, "count"_a, "strata"_a, "The same, within strata.");
  m.def(
      "permutations_of_blocks",
      [](Key key, std::uint64_t first, std::size_t count, std::size_t n, std::size_t block) {
        return draw(PermutationScheme::blocks(n, block), key, first, count);
      },
      "key"_a, "first"_a, "count"_a, "n"_a, "block"_a, "The same, of blocks of consecutive rows.");
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
        philox_block({std::get<0>(key), std::get<1>(key)}, counter, words.data());
        return to_numpy(std::move(words));
      },
      "key"_a, "low_counter"_a, "Four words of the generator at counter (low, high, 0, 0).");
}

void bind_trace(nb::module_& m) {
  m.def(
      "trace_moments",
      [](In<double> x, In<double> y, double n) {
        require(x.size() == kInvariants && y.size() == kInvariants, "eight invariants a variable");
        const TraceMoments moments = trace_moments(TraceSide(x.data()), TraceSide(y.data()), n);
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
      [](In<double> values, In<std::int64_t> rows) {
        require(values.size() == rows.size(), "one number of rows per value");
        const auto counts = totals_of(rows);
        require(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) >= 4, "at least four rows");
        std::vector<double> out(kInvariants);
        {
          nb::gil_scoped_release released;
          distance_invariants(values.data(), counts.data(), values.size(), out.data());
        }
        return to_numpy(std::move(out));
      },
      "values"_a, "rows"_a,
      "The eight invariants of the U-centered distances of ascending values, each in so many rows.");
  m.def(
      "resample_lines",
      [](In<double> x, In<double> y, InRows<std::int32_t> permutations) {
        require(x.size() == y.size(), "x and y must be of one length");
        return resampled(permutations_of(permutations, x.size()), [&](const Permutations& p, double* out) {
          resample_lines(x.data(), y.data(), p, out);
        });
      },
      "x"_a, "y"_a, "permutations"_a, "Squared inner products, y permuted.");
  m.def(
      "resample_group_sums",
      [](In<std::int32_t> codes, In<double> weights, In<double> line, bool is_line_permuted,
         InRows<std::int32_t> permutations) {
        require(codes.size() == line.size(), "codes and line must be of one length");
        require_below(codes, weights.size(), "codes must number the groups");
        const Groups groups{codes.data(), weights.data(), weights.size()};
        return resampled(permutations_of(permutations, codes.size()),
                         [&](const Permutations& p, double* out) {
                           resample_group_sums(groups, line.data(), is_line_permuted, p, out);
                         });
      },
      "codes"_a, "weights"_a, "line"_a, "is_line_permuted"_a, "permutations"_a,
      "Weighted squared group sums, the line or the groups permuted.");
  m.def(
      "resample_matrices",
      [](InRows<double> x, InRows<double> y, InRows<std::int32_t> permutations) {
        require(x.shape(0) == x.shape(1) && y.shape(0) == y.shape(1) && x.shape(0) == y.shape(0),
                "matrices must be square and of one size");
        return resampled(permutations_of(permutations, x.shape(0)), [&](const Permutations& p, double* out) {
          resample_matrices(x.data(), y.data(), p, out);
        });
      },
      "x"_a, "y"_a, "permutations"_a, "Inner products of symmetric matrices, y permuted.");
}

void bind_ranks(nb::module_& m) {
  m.def(
      "kendall_s",
      [](In<std::int32_t> order, In<std::int64_t> tie_groups, In<std::int32_t> codes, std::size_t n_codes,
         InRows<std::int32_t> permutations) {
        require(order.size() == codes.size(), "order and codes must be of one length");
        require_below(codes, n_codes, "codes must be below n_codes");
        const TiedOrder x = order_of(order, tie_groups);
        return resampled(
            permutations_of(permutations, order.size()),
            [&](const Permutations& p, double* out) { kendall_s(x, codes.data(), n_codes, p, out); });
      },
      "order"_a, "tie_groups"_a, "codes"_a, "n_codes"_a, "permutations"_a,
      "Concordant minus discordant pairs, y permuted.");
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
  m.def(
      "rank_steps",
      [](In<std::int32_t> order, In<std::int64_t> tie_groups, In<std::int32_t> ranks,
         InRows<std::int32_t> permutations) {
        require(order.size() == ranks.size(), "order and ranks must be of one length");
        const TiedOrder x = order_of(order, tie_groups);
        return resampled(permutations_of(permutations, order.size()),
                         [&](const Permutations& p, double* out) { rank_steps(x, ranks.data(), p, out); });
      },
      "order"_a, "tie_groups"_a, "ranks"_a, "permutations"_a,
      "Sums of rank steps in the order of x, averaged over the orders of tied rows, y permuted.");
  m.def(
      "distance_products",
      [](In<std::int32_t> x_order, In<double> x, In<std::int32_t> y_positions, In<double> y,
         InRows<std::int32_t> permutations) {
        require(x_order.size() == x.size() && y_positions.size() == x.size() && y.size() == x.size(),
                "x and y must be of one length");
        require_below(x_order, x.size(), "x_order must hold row numbers");
        require_below(y_positions, x.size(), "y_positions must hold row numbers");
        return resampled(permutations_of(permutations, x.size()), [&](const Permutations& p, double* out) {
          distance_products(x_order.data(), x.data(), y_positions.data(), y.data(), p, out);
        });
      },
      "x_order"_a, "x"_a, "y_positions"_a, "y"_a, "permutations"_a,
      "Sums of |x_k - x_l| |y_k - y_l|, y permuted.");
}

void bind_tables(nb::module_& m) {
  m.def(
      "resample_cell_sums",
      [](const std::string& function, In<std::int32_t> x, In<std::int32_t> y, std::size_t n_rows,
         std::size_t n_columns, InRows<std::int32_t> permutations) {
        const CellFunction kind = cell_function_of(function);
        require(x.size() == y.size(), "x and y must be of one length");
        require_below(x, n_rows, "x must number the rows of the table");
        require_below(y, n_columns, "y must number the columns of the table");
        const Labels rows{x.data(), n_rows}, columns{y.data(), n_columns};
        return resampled(permutations_of(permutations, x.size()), [&](const Permutations& p, double* out) {
          resample_cell_sums(kind, rows, columns, p, out);
        });
      },
      "function"_a, "x"_a, "y"_a, "n_rows"_a, "n_columns"_a, "permutations"_a,
      "Sums over the cells of the table of x and y, y permuted.");
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
      "information_variance",
      [](In<std::int64_t> rows, In<std::int64_t> columns, double max_operations) {
        const auto row_totals = totals_of(rows), column_totals = totals_of(columns);
        require_same_sum(row_totals, column_totals);
        nb::gil_scoped_release released;
        return information_variance(row_totals, column_totals, max_operations);
      },
      "rows"_a, "columns"_a, "max_operations"_a, "Its variance; OverflowError past the budget.");
}

void bind_stop(nb::module_& m) {
  nb::class_<Stop>(m, "Stop", "Ends the calls that are given it, from another thread.")
      .def(nb::init<>())
      .def("set", [](Stop& self) { self.is_set = true; })
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
  bychance::bind_permutations(m);
  bychance::bind_trace(m);
  bychance::bind_ranks(m);
  bychance::bind_tables(m);
  bychance::bind_mic(m);
  bychance::bind_lines(m);
  bychance::bind_labels(m);
  bychance::bind_ordering(m);
  bychance::bind_laws(m);
  bychance::bind_stop(m);
  bychance::bind_forest(m);
}
