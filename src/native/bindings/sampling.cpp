// Draws of nulls: permutations, statistics of a pair, and draws of many pairs without the GIL.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

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

PhiloxKey key_of(const Key& key) { return {std::get<0>(key), std::get<1>(key)}; }

TiedOrder order_of(const In<std::int32_t>& order, const In<std::int64_t>& tie_groups) {
  require_below(order, order.size(), "order must hold row numbers");
  std::int64_t total = 0;
  for (std::size_t g = 0; g < tie_groups.size(); ++g) {
    require(tie_groups.data()[g] > 0, "tie groups must be positive");
    total += tie_groups.data()[g];
  }
  require(static_cast<std::size_t>(total) == order.size(), "tie groups must sum to the number of rows");
  return {held(order), held(tie_groups)};
}

void bind_permutations(nb::module_& m) {
  nb::class_<Permutations>(m, "Permutations", "Numbered permutations: row k of x meets row pairing[k] of y.")
      .def_static(
          "free", [](Key key, std::size_t n) { return Permutations::free(key_of(key), n); }, "key"_a, "n"_a,
          "Draw random permutations by a key: number s does not depend on earlier draws.")
      .def_static(
          "within",
          [](Key key, In<std::int32_t> strata) {
            return Permutations::within(key_of(key), strata.data(), strata.size());
          },
          "key"_a, "strata"_a, "Draw random permutations within strata.")
      .def_static(
          "blocks",
          [](Key key, std::size_t n, std::size_t block) {
            return Permutations::blocks(key_of(key), n, block);
          },
          "key"_a, "n"_a, "block"_a, "Draw random permutations of blocks of consecutive rows.")
      .def_static(
          "listed",
          [](InRows<std::int32_t> rows) {
            return Permutations::listed(held(rows), rows.shape(0), rows.shape(1));
          },
          "rows"_a, "Take these permutations, one per row.")
      .def_prop_ro("n", &Permutations::n)
      .def_prop_ro(
          "key",
          [](const Permutations& self) -> std::optional<Key> {
            if (!self.is_free()) return std::nullopt;
            return Key{self.key().low, self.key().high};
          },
          "Key of random permutations without restrictions, else None.")
      .def(
          "rows",
          [](const Permutations& self, std::uint64_t first, std::size_t count) {
            self.require_numbers(first, count);
            return filled_rows<std::int32_t>(count, self.n(), [&](std::int32_t* out) {
              Permutations::Reader reader(self);
              for (std::size_t s = 0; s < count; ++s)
                std::copy_n(reader(first + s), self.n(), out + s * self.n());
            });
          },
          "first"_a, "count"_a, "Return permutations first, first + 1, … as rows of indices.");
}

void bind_arrangements(nb::module_& m) {
  nb::class_<Arrangements>(m, "Arrangements", "All distinct arrangements of a sample with ties.")
      .def(
          "__init__",
          [](Arrangements* self, In<std::int32_t> codes) {
            new (self) Arrangements(codes.data(), codes.size());
          },
          "codes"_a)
      .def(
          "next",
          [](Arrangements& self, std::size_t capacity) {
            const std::size_t n = self.n();
            std::vector<std::int32_t> out(capacity * n);
            const std::size_t written = self.next(capacity, out.data());
            out.resize(written * n);
            return to_rows(std::move(out), written, n);
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

void bind_trace_statistics(Class& statistic) {
  statistic.def_static(
      "lines",
      [](In<double> x, In<double> y, const Finish& finish) -> Made {
        require(x.size() == y.size(), "x and y must be of one length");
        return std::make_unique<LineProduct>(held(x), held(y), finish);
      },
      "x"_a, "y"_a, "finish"_a, "Make the inner product, y permuted.");
  statistic.def_static(
      "group_sums",
      [](In<std::int32_t> codes, In<double> weights, In<double> line, bool is_line_permuted,
         const Finish& finish) -> Made {
        require(codes.size() == line.size(), "codes and line must be of one length");
        require_below(codes, weights.size(), "codes must number the groups");
        return std::make_unique<GroupSums>(Groups{held(codes), held(weights)}, held(line), is_line_permuted,
                                           finish);
      },
      "codes"_a, "weights"_a, "line"_a, "is_line_permuted"_a, "finish"_a,
      "Make weighted squared group sums, the line or the groups permuted.");
  statistic.def_static(
      "matrices",
      [](InRows<double> x, InRows<double> y, const Finish& finish) -> Made {
        require(x.shape(0) == x.shape(1) && y.shape(0) == y.shape(1) && x.shape(0) == y.shape(0),
                "matrices must be square and of one size");
        return std::make_unique<MatrixProduct>(held(x), held(y), x.shape(0), finish);
      },
      "x"_a, "y"_a, "finish"_a, "Make the inner product of symmetric matrices, y permuted.");
  statistic.def_static(
      "cells",
      [](const std::string& function, In<std::int32_t> x, In<std::int32_t> y, std::size_t n_rows,
         std::size_t n_columns, const Finish& finish) -> Made {
        const CellFunction kind = cell_function_of(function);
        require(x.size() == y.size(), "x and y must be of one length");
        require_below(x, n_rows, "x must number the rows of the table");
        require_below(y, n_columns, "y must number the columns of the table");
        return std::make_unique<CellSum>(kind, Labels{held(x), n_rows}, Labels{held(y), n_columns}, finish);
      },
      "function"_a, "x"_a, "y"_a, "n_rows"_a, "n_columns"_a, "finish"_a,
      "Make a sum over the cells of the table of x and y, y permuted.");
}

void bind_bent_statistics(Class& statistic) {
  statistic.def_static(
      "bent_line",
      [](std::shared_ptr<BentLine> x, In<double> y, const Finish& finish) -> Made {
        require(x->columns.size() == y.size(), "x and y must be of one length");
        return std::make_unique<BentLineSum>(std::move(x), held(y), finish);
      },
      "x"_a, "y"_a, "finish"_a,
      "Make the squared length of a line's projection on bent lines, the line permuted.");
  statistic.def_static(
      "bent_classes",
      [](std::shared_ptr<BentLine> x, In<std::int32_t> codes, std::size_t n_classes,
         const Finish& finish) -> Made {
        require(x->columns.size() == codes.size(), "x and codes must be of one length");
        require_below(codes, n_classes, "codes must number the classes");
        return std::make_unique<BentClassSum>(std::move(x), Labels{held(codes), n_classes}, finish);
      },
      "x"_a, "codes"_a, "n_classes"_a, "finish"_a,
      "Make the squared length of the projections of class indicators on bent lines, the classes permuted.");
}

void bind_rank_statistics(Class& statistic) {
  statistic.def_static(
      "kendall",
      [](In<std::int32_t> order, In<std::int64_t> tie_groups, In<std::int32_t> codes, std::size_t n_codes,
         const Finish& finish) -> Made {
        require(order.size() == codes.size(), "order and codes must be of one length");
        require_below(codes, n_codes, "codes must be below n_codes");
        return std::make_unique<KendallSum>(order_of(order, tie_groups), Labels{held(codes), n_codes},
                                            finish);
      },
      "order"_a, "tie_groups"_a, "codes"_a, "n_codes"_a, "finish"_a,
      "Make the number of concordant minus discordant pairs, y permuted.");
  statistic.def_static(
      "rank_steps",
      [](In<std::int32_t> order, In<std::int64_t> tie_groups, In<std::int32_t> ranks,
         const Finish& finish) -> Made {
        require(order.size() == ranks.size(), "order and ranks must be of one length");
        return std::make_unique<RankSteps>(order_of(order, tie_groups), held(ranks), finish);
      },
      "order"_a, "tie_groups"_a, "ranks"_a, "finish"_a,
      "Make the rank steps in the order of x, averaged over the orders of tied rows, y permuted.");
  statistic.def_static(
      "distances",
      [](In<std::int32_t> x_order, In<double> x, In<double> x_row_sums, In<std::int32_t> y_positions,
         In<double> y, In<double> y_row_sums, const Finish& finish) -> Made {
        for (const std::size_t size :
             {x_order.size(), x_row_sums.size(), y_positions.size(), y.size(), y_row_sums.size()}) {
          require(size == x.size(), "x and y must be of one length");
        }
        require_below(x_order, x.size(), "x_order must hold row numbers");
        require_below(y_positions, x.size(), "y_positions must hold row numbers");
        return std::make_unique<DistanceProduct>(DistanceLine{held(x_order), held(x), held(x_row_sums)},
                                                 DistanceLine{held(y_positions), held(y), held(y_row_sums)},
                                                 finish);
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
         In<double> constants, const std::vector<In<std::int64_t>>& rows, std::size_t n,
         const Finish& finish) -> Made {
        require(
            parts.size() == weights.size() && constants.size() == parts.size() && rows.size() == parts.size(),
            "one weight, constant and list of rows per part");
        std::vector<Part> made;
        for (std::size_t h = 0; h < parts.size(); ++h) {
          require_below(rows[h], n, "rows must be below n");
          const auto statistic = parts[h].value_or(nullptr);
          require(!statistic || statistic->n() == rows[h].size(),
                  "one row of a part per row of its statistic");
          made.push_back({weights.data()[h],
                          statistic,
                          constants.data()[h],
                          {rows[h].data(), rows[h].data() + rows[h].size()}});
        }
        return std::make_unique<WeightedSum>(std::move(made), n, finish);
      },
      "weights"_a, "parts"_a, "constants"_a, "rows"_a, "n"_a, "finish"_a,
      "Make a weighted sum of statistics, each on some of the n rows, or of constants if a part has no "
      "statistic.");
}

void bind_draws(nb::module_& m, Class& statistic) {
  statistic.def_prop_ro("n", &Statistic::n)
      .def_prop_ro("steps", &Statistic::steps, "Number of steps of one draw, some nanoseconds each.")
      .def("value", &Statistic::value, nb::call_guard<nb::gil_scoped_release>(),
           "Compute the value of the observed rows.")
      .def(
          "draw",
          [](const Statistic& self, const Permutations& permutations, std::uint64_t first, std::size_t count,
             Stop* stop) {
            return filled<double>(count, [&](double* out) {
              self.draw(permutations, first, count, StoppableCall(stop).watch(), out);
            });
          },
          "permutations"_a, "first"_a, "count"_a, "stop"_a.none() = nb::none(),
          "Draw the values under permutations first, first + 1, …");
  m.def(
      "draw_block",
      [](const std::vector<const Statistic*>& statistics,
         const std::vector<const Permutations*>& permutations, std::uint64_t first, std::size_t count,
         Stop* stop) {
        require(statistics.size() == permutations.size(), "one list of permutations per statistic");
        return filled_rows<double>(statistics.size(), count, [&](double* out) {
          StoppableCall call(stop);
          for (std::size_t k = 0; k < statistics.size(); ++k) {
            statistics[k]->draw(*permutations[k], first, count, call.watch(), out + k * count);
          }
        });
      },
      "statistics"_a, "permutations"_a, "first"_a, "count"_a, "stop"_a.none() = nb::none(),
      "Draw values first, first + 1, … of each statistic under its own permutations, one row per statistic.");
  m.def(
      "sample_figures",
      [](InRows<double> draws, In<double> least, In<double> observed, In<double> bound, In<double> mean,
         In<double> std, In<bool> is_mean_exact, In<bool> is_std_exact, In<double> probabilities,
         bool is_paper_rule) {
        const std::size_t count = draws.shape(0), size = draws.shape(1);
        for (const std::size_t n : {least.size(), observed.size(), bound.size(), mean.size(), std.size(),
                                    is_mean_exact.size(), is_std_exact.size()}) {
          require(n == count && size > 0, "one value per null, and draws of each");
        }
        std::vector<SampleFigures> figures;
        std::vector<QuantileEstimate> quantiles;
        released([&] {
          SampledNull null(size, is_paper_rule);
          for (std::size_t k = 0; k < count; ++k) {
            const ObservedPair pair{least.data()[k], observed.data()[k], bound.data()[k]};
            const NullMoments moments{mean.data()[k], std.data()[k], is_mean_exact.data()[k],
                                      is_std_exact.data()[k]};
            figures.push_back(null.load(draws.data() + k * size, pair, moments));
            for (std::size_t j = 0; j < probabilities.size(); ++j) {
              quantiles.push_back(null.quantile(probabilities.data()[j]));
            }
          }
        });
        return std::make_tuple(to_rows(std::move(figures)), to_rows(std::move(quantiles)));
      },
      "draws"_a, "least"_a, "observed"_a, "bound"_a, "mean"_a, "std"_a, "is_mean_exact"_a, "is_std_exact"_a,
      "probabilities"_a, "is_paper_rule"_a = false,
      "Return the number of draws at or above `least`, and standard errors of the standard deviation and the "
      "standardized score, one row per null with ascending draws. Then quantiles and their errors, one row "
      "per "
      "null and probability.");
}

void bind_splitting(nb::module_& m) {
  nb::class_<TailRun>(m, "TailRun", "One run of splitting: the tail down to a threshold.")
      .def_ro("log_p", &TailRun::log_p,
              "Natural logarithm of P(D >= threshold), or of P(D >= the last level) if the threshold was not "
              "reached.")
      .def_ro("is_reached", &TailRun::is_reached)
      .def_ro("n_evaluations", &TailRun::n_evaluations,
              "Number of evaluations, n single swaps counted as one.")
      .def_prop_ro(
          "levels", [](const TailRun& run) { return to_numpy(run.levels); }, nb::rv_policy::move)
      .def_prop_ro(
          "log_tail", [](const TailRun& run) { return to_numpy(run.log_tail); }, nb::rv_policy::move,
          "Logarithms of P(D >= level).");
  nb::class_<Splitting>(m, "Splitting", "One run of splitting whose values the caller computes.")
      .def(nb::init<const Permutations&, double, std::size_t, double>(), "permutations"_a, "threshold"_a,
           "n_particles"_a, "least_log_p"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("is_done", &Splitting::is_done)
      .def_prop_ro("result", &Splitting::result, nb::rv_policy::copy)
      .def(
          "pairings",
          [](const Splitting& self) {
            return filled_rows<std::int32_t>(self.n_particles(), self.n(), [&](std::int32_t* out) {
              for (std::size_t j = 0; j < self.n_particles(); ++j) self.pairing(j, out + j * self.n());
            });
          },
          "Return the permutations to evaluate, one per particle.")
      .def(
          "feed",
          [](Splitting& self, In<double> values) {
            require(values.size() == self.n_particles(), "one value per particle");
            require(!self.is_done(), "the run is done");
            self.feed(values.data());
          },
          "values"_a, "Continue with the values of these permutations.");
  m.def(
      "split_block",
      [](const std::vector<const Statistic*>& statistics,
         const std::vector<const Permutations*>& permutations, In<double> thresholds, std::size_t n_particles,
         double least_log_p, Stop* stop) {
        require(statistics.size() == permutations.size(), "one list of permutations per statistic");
        require(statistics.size() == thresholds.size(), "one threshold per statistic");
        std::vector<TailRun> runs;
        nb::gil_scoped_release released;
        StoppableCall call(stop);
        for (std::size_t k = 0; k < statistics.size(); ++k) {
          Splitting splitting(*permutations[k], thresholds.data()[k], n_particles, least_log_p);
          splitting.run(*statistics[k], call.watch());
          runs.push_back(splitting.result());
        }
        return runs;
      },
      "statistics"_a, "permutations"_a, "thresholds"_a, "n_particles"_a, "least_log_p"_a,
      "stop"_a.none() = nb::none(), "Run splitting once per statistic, with the key of its permutations.");
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
  bind_splitting(m);
}

}  // namespace bychance
