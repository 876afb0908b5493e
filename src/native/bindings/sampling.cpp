// Draws of nulls: permutations, statistics of a pair, and draws of many pairs without the GIL.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <limits>

#include "bindings/arrays.hpp"
#include "distributions/sample.hpp"
#include "mic/statistic.hpp"
#include "permutations/splitting.hpp"
#include "permutations/statistics.hpp"

namespace bychance {
namespace {

using Made = std::unique_ptr<Statistic>;

void bind_permutations(nb::module_& m) {
  nb::class_<Permutations>(m, "Permutations", "Numbered permutations: row k of x meets row pairing[k] of y.")
      .def_static("free", &Permutations::free, "key"_a, "n"_a,
                  "Draw random permutations by a key: number s does not depend on earlier draws.")
      .def_static(
          "within",
          [](PhiloxKey key, In<std::int32_t> strata) {
            return Permutations::within(key, strata.data, strata.size);
          },
          "key"_a, "strata"_a, "Draw random permutations within strata.")
      .def_static("blocks", &Permutations::blocks, "key"_a, "n"_a, "block"_a,
                  "Draw random permutations of blocks of consecutive rows.")
      .def_static(
          "listed",
          [](const Array<const std::int32_t, 2>& rows) {
            return Permutations::listed(held(rows), rows.shape(0), rows.shape(1));
          },
          "rows"_a, "Take these permutations, one per row.")
      .def_prop_ro("n", &Permutations::n)
      .def_prop_ro(
          "key",
          [](const Permutations& self) { return self.is_free() ? std::optional(self.key()) : std::nullopt; },
          "Key of random permutations without restrictions, else None.")
      .def(
          "rows",
          [](const Permutations& self, std::uint64_t first, std::size_t count) {
            self.require_numbers(first, count);
            Rows<std::int32_t> out(count, self.n());
            Permutations::Reader reader(self);
            for (std::size_t s = 0; s < count; ++s) std::copy_n(reader(first + s), self.n(), out.row(s));
            return out;
          },
          "first"_a, "count"_a, without_gil, "Return permutations first, first + 1, … as rows of indices.");
}

void bind_arrangements(nb::module_& m) {
  nb::class_<Arrangements>(m, "Arrangements", "All distinct arrangements of a sample with ties.")
      .def(
          "__init__",
          [](Arrangements* self, In<std::int32_t> codes) { new (self) Arrangements(codes.data, codes.size); },
          "codes"_a)
      .def(
          "next",
          [](Arrangements& self, std::size_t capacity) {
            Rows<std::int32_t> out(capacity, self.n());
            out.rows = self.next(capacity, out.data);
            return out;
          },
          "capacity"_a, "Return the next arrangements, at most `capacity`, none at the end.");
}

void bind_finish(nb::module_& m) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  nb::class_<Finish>(m, "Finish", "The steps from a kernel's sum to the measure.")
      .def(
          "__init__",
          [](Finish* self, bool squared, double scale, double divisor, double offset, double low, double high,
             std::optional<double> root_factor) {
            new (self) Finish{squared, scale, divisor, offset, low, high, root_factor};
          },
          nb::kw_only(), "squared"_a = false, "scale"_a = 1.0, "divisor"_a = 1.0, "offset"_a = 0.0,
          "low"_a = -infinity, "high"_a = infinity, "root_factor"_a = nb::none());
}

using Class = nb::class_<Statistic>;
using Numbers = SharedArray<double>;
using Codes = SharedArray<std::int32_t>;

void require_one_length(std::size_t x, std::size_t y) { require(x == y, "x and y must be of one length"); }

Labels labels_of(Codes&& codes, std::size_t n_labels, const char* rule) {
  require_below(codes, n_labels, rule);
  return {std::move(codes), n_labels};
}

TiedOrder order_of(Codes&& order, SharedArray<std::int64_t>&& tie_groups) {
  require_below(order, order.size, "order must hold row numbers");
  std::int64_t total = 0;
  for (const std::int64_t size : tie_groups) {
    require(size > 0, "tie groups must be positive");
    total += size;
  }
  require(static_cast<std::size_t>(total) == order.size, "tie groups must sum to the number of rows");
  return {std::move(order), std::move(tie_groups)};
}

DistanceLine distances_of(Codes&& ranks, Numbers&& values, Numbers&& row_sums, std::size_t n) {
  require(ranks.size == n && values.size == n && row_sums.size == n, "x and y must be of one length");
  require_below(ranks, n, "ranks must hold row numbers");
  return {std::move(ranks), std::move(values), std::move(row_sums)};
}

void bind_trace_statistics(Class& statistic) {
  statistic.def_static(
      "lines",
      [](Numbers x, Numbers y, const Finish& finish) -> Made {
        require_one_length(x.size, y.size);
        return std::make_unique<LineProduct>(std::move(x), std::move(y), finish);
      },
      "x"_a, "y"_a, "finish"_a, "Make the inner product, y permuted.");
  statistic.def_static(
      "group_sums",
      [](Codes codes, Numbers weights, Numbers line, bool is_line_permuted, const Finish& finish) -> Made {
        require(codes.size == line.size, "codes and line must be of one length");
        require_below(codes, weights.size, "codes must number the groups");
        return std::make_unique<GroupSums>(Groups{std::move(codes), std::move(weights)}, std::move(line),
                                           is_line_permuted, finish);
      },
      "codes"_a, "weights"_a, "line"_a, "is_line_permuted"_a, "finish"_a,
      "Make weighted squared group sums, the line or the groups permuted.");
  statistic.def_static(
      "matrices",
      [](const Array<const double, 2>& x, const Array<const double, 2>& y, const Finish& finish) -> Made {
        require(x.shape(0) == x.shape(1) && y.shape(0) == y.shape(1) && x.shape(0) == y.shape(0),
                "matrices must be square and of one size");
        return std::make_unique<MatrixProduct>(held(x), held(y), x.shape(0), finish);
      },
      "x"_a, "y"_a, "finish"_a, "Make the inner product of symmetric matrices, y permuted.");
  statistic.def_static(
      "cells",
      [](Choice<CellFunction> function, Codes x, Codes y, std::size_t n_rows, std::size_t n_columns,
         const Finish& finish) -> Made {
        require_one_length(x.size, y.size);
        return std::make_unique<CellSum>(
            function, labels_of(std::move(x), n_rows, "x must number the rows of the table"),
            labels_of(std::move(y), n_columns, "y must number the columns of the table"), finish);
      },
      "function"_a, "x"_a, "y"_a, "n_rows"_a, "n_columns"_a, "finish"_a,
      "Make a sum over the cells of the table of x and y, y permuted.");
}

void bind_bent_statistics(Class& statistic) {
  statistic.def_static(
      "bent_line",
      [](std::shared_ptr<BentLine> x, Numbers y, const Finish& finish) -> Made {
        require_one_length(x->slots.size(), y.size);
        return std::make_unique<BentLineSum>(std::move(x), std::move(y), finish);
      },
      "x"_a, "y"_a, "finish"_a,
      "Make the squared length of a line's projection on bent lines, the line permuted.");
  statistic.def_static(
      "bent_classes",
      [](std::shared_ptr<BentLine> x, Codes codes, std::size_t n_classes, const Finish& finish) -> Made {
        require_one_length(x->slots.size(), codes.size);
        return std::make_unique<BentClassSum>(
            std::move(x), labels_of(std::move(codes), n_classes, "codes must number the classes"), finish);
      },
      "x"_a, "codes"_a, "n_classes"_a, "finish"_a,
      "Make the squared length of the projections of class indicators on bent lines, the classes permuted.");
}

void bind_rank_statistics(Class& statistic) {
  statistic.def_static(
      "kendall",
      [](Codes order, SharedArray<std::int64_t> tie_groups, Codes codes, std::size_t n_codes,
         const Finish& finish) -> Made {
        require_one_length(order.size, codes.size);
        return std::make_unique<KendallSum>(
            order_of(std::move(order), std::move(tie_groups)),
            labels_of(std::move(codes), n_codes, "codes must be below n_codes"), finish);
      },
      "order"_a, "tie_groups"_a, "codes"_a, "n_codes"_a, "finish"_a,
      "Make the number of concordant minus discordant pairs, y permuted.");
  statistic.def_static(
      "rank_steps",
      [](Codes order, SharedArray<std::int64_t> tie_groups, Codes ranks, const Finish& finish) -> Made {
        require_one_length(order.size, ranks.size);
        return std::make_unique<RankSteps>(order_of(std::move(order), std::move(tie_groups)),
                                           std::move(ranks), finish);
      },
      "order"_a, "tie_groups"_a, "ranks"_a, "finish"_a,
      "Make the rank steps in the order of x, averaged over the orders of tied rows, y permuted.");
  statistic.def_static(
      "distances",
      [](Codes x_order, Numbers x, Numbers x_row_sums, Codes y_positions, Numbers y, Numbers y_row_sums,
         const Finish& finish) -> Made {
        const std::size_t n = x.size;
        return std::make_unique<DistanceProduct>(
            distances_of(std::move(x_order), std::move(x), std::move(x_row_sums), n),
            distances_of(std::move(y_positions), std::move(y), std::move(y_row_sums), n), finish);
      },
      "x_order"_a, "x"_a, "x_row_sums"_a, "y_positions"_a, "y"_a, "y_row_sums"_a, "finish"_a,
      "Make the inner product of U-centered distances, y permuted.");
  statistic.def_static(
      "mic",
      [](std::shared_ptr<MicVariable> x, std::shared_ptr<MicVariable> y) -> Made {
        return std::make_unique<MicStatistic>(std::move(x), std::move(y));
      },
      "x"_a, "y"_a, "Make MIC, MIC_e or TIC_e, y permuted.");
}

void bind_sums(Class& statistic) {
  statistic.def_static(
      "weighted_sum",
      [](In<double> weights, const std::vector<std::optional<std::shared_ptr<Statistic>>>& parts,
         In<double> constants, const Columns<std::int64_t>& rows, std::size_t n,
         const Finish& finish) -> Made {
        require(weights.size == parts.size() && constants.size == parts.size() && rows.size() == parts.size(),
                "one weight, constant and list of rows per part");
        std::vector<Part> made;
        for (std::size_t h = 0; h < parts.size(); ++h) {
          const In<std::int64_t> own(rows[h]);
          require_below(own, n, "rows must be below n");
          const auto statistic = parts[h].value_or(nullptr);
          require(!statistic || statistic->n() == own.size, "one row of a part per row of its statistic");
          made.push_back({weights[h], statistic, constants[h], {own.begin(), own.end()}});
        }
        return std::make_unique<WeightedSum>(std::move(made), n, finish);
      },
      "weights"_a, "parts"_a, "constants"_a, "rows"_a, "n"_a, "finish"_a,
      "Make a weighted sum of statistics, each on some of the n rows, or of constants if a part has no "
      "statistic.");
}

using Statistics = std::vector<const Statistic*>;
using PermutationList = std::vector<const Permutations*>;

void bind_draws(nb::module_& m, Class& statistic) {
  statistic.def_prop_ro("n", &Statistic::n)
      .def_prop_ro("steps", &Statistic::steps, "Number of steps of one draw, some nanoseconds each.")
      .def("value", &Statistic::value, without_gil, "Compute the value of the observed rows.")
      .def(
          "draw",
          [](const Statistic& self, const Permutations& permutations, std::uint64_t first, std::size_t count,
             Stop* stop) {
            std::vector<double> out(count);
            Watch watch = watch_for(stop);
            self.draw(permutations, first, count, watch, out.data());
            return out;
          },
          "permutations"_a, "first"_a, "count"_a, "stop"_a.none() = nb::none(), without_gil,
          "Draw the values under permutations first, first + 1, …");
  m.def(
      "draw_block",
      [](const Statistics& statistics, const PermutationList& permutations, std::uint64_t first,
         std::size_t count, Stop* stop) {
        require(statistics.size() == permutations.size(), "one list of permutations per statistic");
        Rows<double> out(statistics.size(), count);
        Watch watch = watch_for(stop);
        for (std::size_t k = 0; k < statistics.size(); ++k) {
          statistics[k]->draw(*permutations[k], first, count, watch, out.row(k));
        }
        return out;
      },
      "statistics"_a, "permutations"_a, "first"_a, "count"_a, "stop"_a.none() = nb::none(), without_gil,
      "Draw values first, first + 1, … of each statistic under its own permutations, one row per statistic.");
  m.def(
      "sample_summaries",
      [](InRows<double> draws, In<double> least, In<double> observed, In<double> bound, In<double> mean,
         In<double> std, In<bool> is_mean_exact, In<bool> is_std_exact, In<double> probabilities,
         bool is_paper_rule) {
        for (const std::size_t n : {least.size, observed.size, bound.size, mean.size, std.size,
                                    is_mean_exact.size, is_std_exact.size}) {
          require(n == draws.rows && draws.columns > 0, "one value per null, and draws of each");
        }
        std::vector<SampleSummary> figures;
        std::vector<QuantileEstimate> quantiles;
        SampledNull null(draws.columns, is_paper_rule);
        for (std::size_t k = 0; k < draws.rows; ++k) {
          const ObservedPair pair{least[k], observed[k], bound[k]};
          const NullMoments moments{mean[k], std[k], is_mean_exact[k], is_std_exact[k]};
          figures.push_back(null.load(draws.row(k), pair, moments));
          for (const double p : probabilities) quantiles.push_back(null.quantile(p));
        }
        return std::make_tuple(rows_of(std::move(figures)), rows_of(std::move(quantiles)));
      },
      "draws"_a, "least"_a, "observed"_a, "bound"_a, "mean"_a, "std"_a, "is_mean_exact"_a, "is_std_exact"_a,
      "probabilities"_a, "is_paper_rule"_a = false, without_gil,
      "Return the number of draws at or above `least`, and standard errors of the standard deviation and the "
      "standardized score, one row per null with ascending draws. Then quantiles and their errors, one row "
      "per null and probability.");
}

void bind_splitting(nb::module_& m, Class& statistic) {
  nb::class_<TailRun>(m, "TailRun", "One run of splitting: the tail down to a threshold.")
      .def_ro("log_p", &TailRun::log_p,
              "Natural logarithm of P(D >= threshold), or of P(D >= the last level) if the threshold was not "
              "reached.")
      .def_ro("is_reached", &TailRun::is_reached)
      .def_ro("levels", &TailRun::levels)
      .def_ro("log_tail", &TailRun::log_tail, "Logarithms of P(D >= level).");
  nb::class_<Splitting>(m, "Splitting", "One run of splitting whose values the caller computes.")
      .def(nb::init<const Permutations&, double, std::size_t, double>(), "permutations"_a, "threshold"_a,
           "n_particles"_a, "least_log_p"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("is_done", &Splitting::is_done)
      .def_prop_ro("result", &Splitting::result, nb::rv_policy::copy)
      .def(
          "pairings",
          [](const Splitting& self) {
            Rows<std::int32_t> out(self.n_particles(), self.n());
            for (std::size_t j = 0; j < out.rows; ++j) self.pairing(j, out.row(j));
            return out;
          },
          without_gil, "Return the permutations to evaluate, one per particle.")
      .def(
          "feed",
          [](Splitting& self, In<double> values) {
            require(values.size == self.n_particles(), "one value per particle");
            require(!self.is_done(), "the run is done");
            self.feed(values.data);
          },
          "values"_a, "Continue with the values of these permutations.");
  statistic.def(
      "split",
      [](const Statistic& self, const Permutations& permutations, double threshold, std::size_t n_particles,
         double least_log_p, Stop* stop) {
        Splitting splitting(permutations, threshold, n_particles, least_log_p);
        Watch watch = watch_for(stop);
        splitting.run(self, watch);
        return splitting.result();
      },
      "permutations"_a, "threshold"_a, "n_particles"_a, "least_log_p"_a, "stop"_a.none() = nb::none(),
      without_gil, "Run splitting once, with the key of the permutations.");
}

}  // namespace

void bind_sampling(nb::module_& m) {
  bind_permutations(m);
  bind_arrangements(m);
  bind_finish(m);
  Class statistic(m, "Statistic", "A measure of one pair as a function of the pairing.");
  bind_trace_statistics(statistic);
  bind_bent_statistics(statistic);
  bind_rank_statistics(statistic);
  bind_sums(statistic);
  bind_draws(m, statistic);
  bind_splitting(m, statistic);
}

}  // namespace bychance
