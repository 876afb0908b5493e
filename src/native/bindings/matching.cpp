// Laws matched to exact moments, and the rules of their trust, of many pairs at once: arrays in, arrays out,
// the GIL released in between.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/matched_sides.hpp"
#include "nulls/atoms.hpp"
#include "nulls/information_law.hpp"
#include "nulls/sum_law.hpp"
#include "nulls/trace_law.hpp"

namespace bychance {
namespace {

// Arrays of one entry per pair, or of one that stands for all pairs.
template <class T>
struct Each {
  Each(const In<T>& values, std::size_t count) : data_(values.data()), step_(values.size() == 1 ? 0 : 1) {
    require(values.size() == 1 || values.size() == count, "one entry per pair, or one for all");
  }
  double operator[](std::size_t k) const { return static_cast<double>(data_[k * step_]); }

 private:
  const T* data_;
  std::size_t step_;
};

TraceShape shape_of(const std::string& name) {
  require(name == "beta" || name == "gamma" || name == "pearson3", "the law is beta, gamma or pearson3");
  return name == "beta" ? TraceShape::beta : name == "gamma" ? TraceShape::gamma : TraceShape::pearson3;
}

using Fields = nb::typed<nb::dict, nb::str, nb::any>;

// The fields of TraceLaw, one array each; no tail has a floor yet.
struct Columns {
  explicit Columns(std::size_t count)
      : log_floor(count, -std::numeric_limits<double>::infinity()), n(count), engine(count), caveat(count) {
    for (auto* values : {&mean, &std, &figure, &holds_to, &first, &second, &low, &high}) {
      values->resize(count);
    }
  }
  void put(std::size_t k, const TraceLaw& law) {
    mean[k] = law.mean;
    std[k] = law.std;
    engine[k] = static_cast<std::int8_t>(law.engine);
    caveat[k] = static_cast<std::int8_t>(law.caveat);
    figure[k] = law.figure;
    holds_to[k] = law.holds_to;
    first[k] = law.first;
    second[k] = law.second;
    low[k] = law.low;
    high[k] = law.high;
    n[k] = law.n;
  }
  Fields to_dict() {
    Fields fields;
    fields["mean"] = to_numpy(std::move(mean));
    fields["std"] = to_numpy(std::move(std));
    fields["engine"] = to_numpy(std::move(engine));
    fields["caveat"] = to_numpy(std::move(caveat));
    fields["figure"] = to_numpy(std::move(figure));
    fields["holds_to"] = to_numpy(std::move(holds_to));
    fields["first"] = to_numpy(std::move(first));
    fields["second"] = to_numpy(std::move(second));
    fields["low"] = to_numpy(std::move(low));
    fields["high"] = to_numpy(std::move(high));
    fields["n"] = to_numpy(std::move(n));
    fields["log_floor"] = to_numpy(std::move(log_floor));
    return fields;
  }

 private:
  std::vector<double> mean, std, figure, holds_to, first, second, low, high, log_floor;
  std::vector<std::int64_t> n;
  std::vector<std::int8_t> engine, caveat;
};

using Places = std::optional<In<std::int64_t>>;

Fields match_traces(In<std::int64_t> n, InRows<double> x, InRows<double> y, Places x_at, Places y_at,
                    In<std::int64_t> x_distinct, In<std::int64_t> y_distinct, In<std::int64_t> x_others,
                    In<std::int64_t> y_others, In<std::int64_t> x_apart, In<std::int64_t> y_apart,
                    In<double> scale, In<double> upper, const std::string& law, bool is_whole_table) {
  const std::size_t count = x_at ? x_at->size() : x.shape(0);
  require(x.shape(1) == kInvariants && y.shape(1) == kInvariants, "eight invariants a variable");
  require((y_at ? y_at->size() : y.shape(0)) == count, "as many of y as of x");
  if (x_at) require_below(*x_at, x.shape(0), "x_at must number the rows of x");
  if (y_at) require_below(*y_at, y.shape(0), "y_at must number the rows of y");
  const Each<std::int64_t> rows(n, count), distinct[] = {{x_distinct, count}, {y_distinct, count}},
                                           others[] = {{x_others, count}, {y_others, count}},
                                           apart[] = {{x_apart, count}, {y_apart, count}};
  const Each<double> scales(scale, count), uppers(upper, count);
  const TraceOptions options{shape_of(law), is_whole_table};
  Columns found(count);
  TraceFactors by(0);
  {
    nb::gil_scoped_release released;
    const auto put = [&](std::size_t k, const MatchedSide& a, const MatchedSide& b) {
      const PairCounts counts{rows[k],      distinct[0][k], distinct[1][k], others[0][k],
                              others[1][k], apart[0][k],    apart[1][k]};
      if (k == 0 || counts.n != by.n) by = TraceFactors(counts.n);
      found.put(k, match_trace(a, b, counts, by, scales[k], uppers[k], options));
    };
    if (x_at && y_at && x.shape(0) + y.shape(0) <= count) {  // each is in several pairs
      const auto a = matched_sides(x), b = matched_sides(y);
      for (std::size_t k = 0; k < count; ++k) put(k, a[x_at->data()[k]], b[y_at->data()[k]]);
    } else {
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t i = x_at ? static_cast<std::size_t>(x_at->data()[k]) : k;
        const std::size_t j = y_at ? static_cast<std::size_t>(y_at->data()[k]) : k;
        put(k, MatchedSide(x.data() + i * kInvariants), MatchedSide(y.data() + j * kInvariants));
      }
    }
  }
  return found.to_dict();
}

Fields match_informations(In<std::int64_t> n, In<double> mean, In<double> variance, In<double> upper,
                          In<std::int64_t> x_distinct, In<std::int64_t> y_distinct,
                          In<std::int64_t> x_smallest, In<std::int64_t> y_smallest, In<std::int64_t> x_others,
                          In<std::int64_t> y_others, bool is_whole_table) {
  const std::size_t count = mean.size();
  const Each<std::int64_t> rows(n, count), distinct[] = {{x_distinct, count}, {y_distinct, count}},
                                           smallest[] = {{x_smallest, count}, {y_smallest, count}},
                                           others[] = {{x_others, count}, {y_others, count}};
  const Each<double> variances(variance, count), uppers(upper, count);
  Columns found(count);
  {
    nb::gil_scoped_release released;
    for (std::size_t k = 0; k < count; ++k) {
      const PairCounts counts{rows[k],      distinct[0][k], distinct[1][k], others[0][k],
                              others[1][k], others[0][k],   others[1][k]};
      found.put(k, match_information({mean.data()[k], variances[k]}, counts, smallest[0][k], smallest[1][k],
                                     uppers[k], is_whole_table));
    }
  }
  return found.to_dict();
}

Fields match_shares(In<std::int64_t> n, In<double> mean, In<double> variance, In<double> third,
                    In<double> third_cumulants, In<double> rank, bool is_numeric, In<std::int64_t> x_distinct,
                    In<std::int64_t> y_distinct, In<std::int64_t> x_others, In<std::int64_t> y_others) {
  const std::size_t count = mean.size();
  const Each<std::int64_t> rows(n, count), distinct[] = {{x_distinct, count}, {y_distinct, count}},
                                           others[] = {{x_others, count}, {y_others, count}};
  const Each<double> variances(variance, count), thirds(third, count), cumulants(third_cumulants, count),
      ranks(rank, count);
  Columns found(count);
  {
    nb::gil_scoped_release released;
    for (std::size_t k = 0; k < count; ++k) {
      const PairCounts counts{rows[k],      distinct[0][k], distinct[1][k], others[0][k],
                              others[1][k], others[0][k],   others[1][k]};
      const ScaledMoments moments{mean.data()[k], variances[k], thirds[k]};
      found.put(k, match_share(moments, counts, ranks[k], cumulants[k], is_numeric));
    }
  }
  return found.to_dict();
}

Fields one_of(const TraceLaw& law) {
  Columns found(1);
  found.put(0, law);
  return found.to_dict();
}

PairCounts counts_of_pair(double n, const std::pair<double, double>& distinct,
                          const std::pair<double, double>& others) {
  return {n, distinct.first, distinct.second, others.first, others.second, others.first, others.second};
}

Judgment judgment_named(const std::string& rule, double figure) {
  if (rule == "xi") return judge_xi(figure);
  if (rule == "agreement") return judge_agreement(figure);
  require(rule.empty(), "the rule is xi, agreement or none");
  return {Caveat::unknown_skewness, std::numeric_limits<double>::quiet_NaN()};
}

Summand summand_named(const std::string& name) {
  const std::pair<const char*, Summand> names[] = {{"trace", Summand::trace},
                                                   {"dense", Summand::dense},
                                                   {"information", Summand::information},
                                                   {"pairs", Summand::pairs},
                                                   {"other", Summand::other}};
  for (const auto& [known, summand] : names) {
    if (name == known) return summand;
  }
  throw std::invalid_argument("there is no such summand");
}

// Figures of the pairs, one row each, in the order that the rule takes them.
using Figures = InRows<double>;

template <std::size_t n_figures, class Use>
void over_pairs(const Figures& figures, Use use) {
  require(figures.shape(0) == n_figures, "one row per figure");
  const std::size_t count = figures.shape(1);
  for (std::size_t k = 0; k < count; ++k) {
    double f[n_figures];
    for (std::size_t i = 0; i < n_figures; ++i) f[i] = figures.data()[i * count + k];
    use(k, f);
  }
}

template <std::size_t n_figures, class Rule>
auto judged(const Figures& figures, Rule rule) {
  std::vector<std::int8_t> caveats(figures.shape(1));
  std::vector<double> about(figures.shape(1));
  over_pairs<n_figures>(figures, [&](std::size_t k, const double* f) {
    const Judgment judgment = rule(f);
    caveats[k] = static_cast<std::int8_t>(judgment.caveat);
    about[k] = judgment.figure;
  });
  return std::make_tuple(to_numpy(std::move(caveats)), to_numpy(std::move(about)));
}

template <std::size_t n_figures, class Rule>
auto computed(const Figures& figures, Rule rule) {
  std::vector<double> values(figures.shape(1));
  over_pairs<n_figures>(figures, [&](std::size_t k, const double* f) { values[k] = rule(f); });
  return to_numpy(std::move(values));
}

PairCounts counts_of(const double* f) { return {f[0], f[1], f[2], f[3], f[4], f[3], f[4]}; }

void bind_rules(nb::module_& m) {
  m.def(
      "judge_beta",
      [](Figures figures) {
        return judged<9>(figures,
                         [](const double* f) { return judge_beta(counts_of(f), {f[5], f[6]}, f[7], f[8]); });
      },
      "figures"_a,
      "Caveats and their figures; rows: n, distinct and others of x and y, rank, third, variance ratio, skew "
      "ratio.");
  m.def(
      "judge_gamma",
      [](Figures figures) {
        return judged<10>(figures, [](const double* f) {
          return judge_gamma(counts_of(f), {f[5], f[6], f[7]}, f[8], f[9]);
        });
      },
      "figures"_a,
      "Caveats and their figures; rows: n, distinct and others of x and y, rank, third, fourth, skew, skew "
      "ratio.");
  m.def(
      "judge_information",
      [](Figures figures) {
        return judged<1>(figures, [](const double* f) { return judge_information(f[0]); });
      },
      "figures"_a, "Caveats and their figures; row: rows that the emptiest cell expects.");
  m.def(
      "reach_of_beta",
      [](Figures figures) {
        return computed<4>(figures, [](const double* f) { return reach_of_beta(f[0], {f[1], f[2]}, f[3]); });
      },
      "figures"_a, "Down to which p a law holds; rows: n, rank, third, variance ratio.");
  m.def(
      "reach_of_gamma",
      [](Figures figures) {
        return computed<3>(figures, [](const double* f) { return reach_of_gamma(f[0], {f[1], f[2]}); });
      },
      "figures"_a, "Down to which p a law holds; rows: n, rank, third.");
  m.def(
      "reach_of_information",
      [](Figures figures) {
        return computed<1>(figures, [](const double* f) { return reach_of_information(f[0]); });
      },
      "figures"_a, "Down to which p a law holds; row: rows that the emptiest cell expects.");
  m.def(
      "finest_p",
      [](Figures figures) {
        return computed<5>(figures, [](const double* f) { return finest_p({f[0], f[1], f[2], f[3], f[4]}); });
      },
      "figures"_a,
      "The p below which atoms show; rows: n, rows of the smaller group, rows apart, squared skewness, "
      "kurtosis.");
  m.def(
      "coarser_reach",
      [](Figures figures) {
        return computed<2>(figures, [](const double* f) { return coarser_reach(f[0], f[1]); });
      },
      "figures"_a, "Down to which p a law with atoms holds; rows: its reach without them, finest p.");
  m.def(
      "largest_lump",
      [](In<double> values) {
        require(values.size() > 0, "there are no values");
        return largest_lump(values.data(), values.size());
      },
      "values"_a, "At most how many values lie within 0.3 standard deviations of each other.");
  m.def(
      "rare_values",
      [](Figures figures) {
        return computed<3>(figures, [](const double* f) { return has_rare_values(f[0], f[1], f[2]); });
      },
      "figures"_a, "1 where values are rare; rows: n, others of x and y.");
  m.def("most_rare_others", most_rare_others, "n"_a,
        "At most how many rows differ from the most common value where values may be rare.");
  m.attr("FEW_ROWS") = static_cast<int>(kFewRows);
  m.attr("TWO_VALUES") = kTwoValues;
}

}  // namespace

void bind_matching(nb::module_& m) {
  m.def("match_traces", match_traces, "n"_a, "x_invariants"_a, "y_invariants"_a, "x_at"_a.none(),
        "y_at"_a.none(), "x_distinct"_a, "y_distinct"_a, "x_others"_a, "y_others"_a, "x_apart"_a, "y_apart"_a,
        "scale"_a, "upper"_a, "law"_a, "is_whole_table"_a,
        "The fields of Laws of scale tr(A B), one row of invariants per matrix, of which x_at and y_at make "
        "pairs.");
  m.def("match_information", match_informations, "n"_a, "mean"_a, "variance"_a, "upper"_a, "x_distinct"_a,
        "y_distinct"_a, "x_smallest"_a, "y_smallest"_a, "x_others"_a, "y_others"_a, "is_whole_table"_a,
        "The fields of Laws of mutual information, one entry per pair, or one for all.");
  m.def("match_shares", match_shares, "n"_a, "mean"_a, "variance"_a, "third"_a, "third_cumulants"_a, "rank"_a,
        "is_numeric"_a, "x_distinct"_a, "y_distinct"_a, "x_others"_a, "y_others"_a,
        "The fields of Laws of shares of variation within cells, one entry per pair, or one for all.");
  m.def(
      "match_signs",
      [](double mean, double variance, double n, std::pair<double, double> distinct,
         std::pair<double, double> others, double upper, bool is_in_strata) {
        const PairCounts counts = counts_of_pair(n, distinct, others);
        return one_of(match_signs(mean, variance, counts, upper, is_in_strata));
      },
      "mean"_a, "variance"_a, "n"_a, "distinct"_a, "others"_a, "upper"_a, "is_in_strata"_a = false,
      "The fields of Laws of Kendall's tau^2 of one pair.");
  m.def(
      "match_normal",
      [](double mean, double variance, double n, std::pair<double, double> others, double low, double upper,
         const std::string& rule, double figure) {
        const PairCounts counts = counts_of_pair(n, {0, 0}, others);
        return one_of(match_normal(mean, variance, counts, low, upper, judgment_named(rule, figure)));
      },
      "mean"_a, "variance"_a, "n"_a, "others"_a, "low"_a, "upper"_a, "rule"_a, "figure"_a,
      "The fields of Laws of a normal null of one pair, judged by the rule of xi, of agreement, or none.");
  m.def(
      "match_sum",
      [](const std::string& summand, double mean, double variance, double third, double n, double least,
         double upper) {
        return one_of(match_sum({mean, variance, third}, summand_named(summand), n, least, upper));
      },
      "summand"_a, "mean"_a, "variance"_a, "third"_a, "n"_a, "least"_a, "upper"_a,
      "The fields of Laws of a sum over strata: trace, dense, information, pairs or other.");
  m.def(
      "scaled_trace_moments",
      [](In<double> x, In<double> y, double n, double scale) {
        require(x.size() == kInvariants && y.size() == kInvariants, "eight invariants a variable");
        const ScaledMoments moments =
            scaled_moments(TraceSide(x.data()), TraceSide(y.data()), TraceFactors(n), scale);
        return std::make_tuple(moments.mean, moments.variance, moments.third);
      },
      "x"_a, "y"_a, "n"_a, "scale"_a,
      "Mean, variance and third central moment of scale tr(A B); a variance that is only rounding is 0.");
  m.def(
      "beta_parameters",
      [](Figures moments) {
        std::vector<double> parameters(2 * moments.shape(1));
        over_pairs<2>(moments, [&](std::size_t k, const double* f) {
          const BetaParameters found = beta_parameters(f[0], f[1]);
          parameters[k] = found.a;
          parameters[k + moments.shape(1)] = found.b;
        });
        return to_rows(std::move(parameters), 2, moments.shape(1));
      },
      "moments"_a, "a and b of the Beta laws with these means and variances, one row each.");
  m.def(
      "beta_skews",
      [](Figures parameters) {
        return computed<2>(parameters, [](const double* f) { return beta_skew(f[0], f[1]); });
      },
      "parameters"_a, "Skewness of Beta(a, b), a and b one row each.");
  bind_rules(m);
}

}  // namespace bychance
