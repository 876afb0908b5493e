// Distributions of many pairs at once: matched to exact moments, judged by the rules of validity, and their
// quantiles and tails.
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "bindings/arrays.hpp"
#include "distributions/beta_distribution.hpp"
#include "distributions/exact_distributions.hpp"
#include "distributions/matching.hpp"

namespace bychance {

template <>
inline constexpr Named<TraceShape> kNames<TraceShape>[] = {
    {"beta", TraceShape::beta}, {"gamma", TraceShape::gamma}, {"pearson3", TraceShape::pearson3}};
template <>
inline constexpr Named<Summand> kNames<Summand>[] = {{"trace", Summand::trace},
                                                     {"dense", Summand::dense},
                                                     {"information", Summand::information},
                                                     {"pairs", Summand::pairs},
                                                     {"other", Summand::other}};
template <>
inline constexpr Named<FourfoldValue> kNames<FourfoldValue>[] = {{"contingency", FourfoldValue::contingency},
                                                                 {"information", FourfoldValue::information}};

namespace {

using Both = std::pair<double, double>;  // a number of x, and one of y

// An array of one entry per pair, or of one that stands for all pairs; or such rows of x and of y.
template <class T>
struct Each {
  Each(In<T> values, std::size_t count) : data_(values.data), width_(values.size), step_(width_ != 1) {
    require(width_ == 1 || width_ == count, "one entry per pair, or one for all");
  }
  Each(InRows<T> values, std::size_t count) : Each(In<T>(values.data, values.columns), count) {
    require(values.rows == 2, "a row of x and a row of y");
  }
  double operator()(std::size_t k, std::size_t row = 0) const {
    return static_cast<double>(data_[row * width_ + k * step_]);
  }

 private:
  const T* data_;
  std::size_t width_, step_;
};

struct CountsOfPairs {
  Each<std::int64_t> n, distinct, others, outside;

  PairCounts operator()(std::size_t k) const {
    return {n(k), distinct(k), distinct(k, 1), others(k), others(k, 1), outside(k), outside(k, 1)};
  }
};

// The fields of NullDistributions, one array each; no tail has a floor yet.
auto arrays_of(const std::vector<MatchedDistribution>& matched) {
  const auto of = [&](auto field) { return field_of(matched, field); };
  return std::make_tuple(
      of(&MatchedDistribution::mean), of(&MatchedDistribution::std), of(&MatchedDistribution::engine),
      of(&MatchedDistribution::caveat), of(&MatchedDistribution::caveat_value),
      of(&MatchedDistribution::holds_to), of(&MatchedDistribution::first), of(&MatchedDistribution::second),
      of(&MatchedDistribution::low), of(&MatchedDistribution::high), of(&MatchedDistribution::n),
      std::vector<double>(matched.size(), -std::numeric_limits<double>::infinity()));
}

template <class Match>
auto match_each(std::size_t count, Match match) {
  std::vector<MatchedDistribution> matched;
  matched.reserve(count);
  for (std::size_t k = 0; k < count; ++k) matched.push_back(match(k));
  return arrays_of(matched);
}

Judgment judgment_named(const std::string& rule, double value) {
  if (rule == "xi") return judge_xi(value);
  if (rule == "agreement") return judge_agreement(value);
  require(rule.empty(), "the rule is xi, agreement or none");
  return {Caveat::unknown_skewness, std::numeric_limits<double>::quiet_NaN(), 1};
}

PairCounts counts_of(double n, const Both& distinct, const Both& others) {
  return {n, distinct.first, distinct.second, others.first, others.second, others.first, others.second};
}

void bind_matching(nb::module_& m) {
  m.def(
      "match_traces",
      [](In<std::int64_t> n, InRows<double> x, InRows<double> y, In<std::int64_t> x_at, In<std::int64_t> y_at,
         InRows<std::int64_t> distinct, InRows<std::int64_t> others, InRows<std::int64_t> outside,
         In<double> scale, In<double> upper, Choice<TraceShape> distribution, bool is_whole_table) {
        const PairIndices pairs = pairs_of(x_at, x.rows, y_at, y.rows);
        const std::size_t count = pairs.count;
        const CountsOfPairs counts{{n, count}, {distinct, count}, {others, count}, {outside, count}};
        const Each scales(scale, count), uppers(upper, count);
        const TraceOptions options{distribution, is_whole_table};
        std::vector<MatchedDistribution> matched;
        matched.reserve(count);
        TraceFactors by(0);
        over_sides<MatchedSide>(x, y, pairs, [&](std::size_t k, const MatchedSide& a, const MatchedSide& b) {
          const PairCounts own = counts(k);
          if (k == 0 || own.n != by.n) by = TraceFactors(own.n);
          matched.push_back(match_trace(a, b, own, by, scales(k), uppers(k), options));
        });
        return arrays_of(matched);
      },
      "n"_a, "x_invariants"_a, "y_invariants"_a, "x_at"_a, "y_at"_a, "distinct"_a, "others"_a, "outside"_a,
      "scale"_a, "upper"_a, "distribution"_a, "is_whole_table"_a, without_gil,
      "Match distributions to scale tr(A B) and return the fields of NullDistributions. x_at and y_at make "
      "pairs of rows of invariants.");
  m.def(
      "match_information",
      [](In<std::int64_t> n, In<double> mean, In<double> variance, In<double> upper,
         InRows<std::int64_t> distinct, InRows<std::int64_t> smallest, InRows<std::int64_t> others,
         bool is_whole_table) {
        const std::size_t count = mean.size;
        const CountsOfPairs counts{{n, count}, {distinct, count}, {others, count}, {others, count}};
        const Each sizes(smallest, count);
        const Each means(mean, count), variances(variance, count), uppers(upper, count);
        return match_each(count, [&](std::size_t k) {
          return match_information({means(k), variances(k)}, counts(k), sizes(k), sizes(k, 1), uppers(k),
                                   is_whole_table);
        });
      },
      "n"_a, "mean"_a, "variance"_a, "upper"_a, "distinct"_a, "smallest"_a, "others"_a, "is_whole_table"_a,
      without_gil,
      "Match distributions to mutual information and return the fields of NullDistributions. Arrays have one "
      "entry per pair, or one for all.");
  m.def(
      "match_shares",
      [](In<std::int64_t> n, In<double> mean, In<double> variance, In<double> third,
         In<double> third_cumulants, double rank, bool is_numeric, InRows<std::int64_t> distinct,
         InRows<std::int64_t> others) {
        const std::size_t count = mean.size;
        const CountsOfPairs counts{{n, count}, {distinct, count}, {others, count}, {others, count}};
        const Each variances(variance, count), thirds(third, count), cumulants(third_cumulants, count);
        return match_each(count, [&](std::size_t k) {
          return match_share({mean[k], variances(k), thirds(k)}, counts(k), rank, cumulants(k), is_numeric);
        });
      },
      "n"_a, "mean"_a, "variance"_a, "third"_a, "third_cumulants"_a, "rank"_a, "is_numeric"_a, "distinct"_a,
      "others"_a, without_gil,
      "Match distributions to shares of variation within cells and return the fields of NullDistributions. "
      "Arrays have one entry per pair, or one for all.");
  m.def(
      "match_signs",
      [](double mean, double variance, double n, Both distinct, Both others, double upper,
         bool is_in_strata) {
        return arrays_of({match_signs(mean, variance, counts_of(n, distinct, others), upper, is_in_strata)});
      },
      "mean"_a, "variance"_a, "n"_a, "distinct"_a, "others"_a, "upper"_a, "is_in_strata"_a = false,
      "Match a distribution to Kendall's tau^2 of one pair and return the fields of NullDistributions.");
  m.def(
      "match_normal",
      [](double mean, double variance, double n, Both others, double low, double upper,
         const std::string& rule, double value) {
        const PairCounts counts = counts_of(n, {0, 0}, others);
        return arrays_of({match_normal(mean, variance, counts, low, upper, judgment_named(rule, value))});
      },
      "mean"_a, "variance"_a, "n"_a, "others"_a, "low"_a, "upper"_a, "rule"_a, "value"_a,
      "Match a normal distribution to one pair and return the fields of NullDistributions. The rule of xi, "
      "of agreement, or none judges it.");
  m.def(
      "match_sum",
      [](Choice<Summand> summand, double mean, double variance, double third, double n, double least,
         double upper) { return arrays_of({match_sum({mean, variance, third}, summand, n, least, upper)}); },
      "summand"_a, "mean"_a, "variance"_a, "third"_a, "n"_a, "least"_a, "upper"_a,
      "Match a distribution to a sum over strata (trace, dense, information, pairs or other) and return the "
      "fields of NullDistributions.");
  m.def(
      "scaled_trace_moments",
      [](In<double> x, In<double> y, double n, double scale) {
        const auto side = [](const In<double>& a) {
          require(a.size == kInvariants, "eight invariants a variable");
          return TraceSide(*reinterpret_cast<const Invariants*>(a.data));
        };
        const ScaledMoments moments = scaled_moments(side(x), side(y), TraceFactors(n), scale);
        return std::make_tuple(moments.mean, moments.variance, moments.third);
      },
      "x"_a, "y"_a, "n"_a, "scale"_a,
      "Return mean, variance and third central moment of scale tr(A B). A variance that is only rounding is "
      "0.");
}

auto as_tuple(const Judgment& judgment) {
  return std::make_tuple(static_cast<int>(judgment.caveat), judgment.caveat_value, judgment.reach);
}

// The rules of one pair, for studies that judge them.
void bind_rules(nb::module_& m) {
  m.def(
      "judge_beta",
      [](double n, Both distinct, Both others, double rank, double third, double variance_ratio,
         double skew_ratio) {
        return as_tuple(
            judge_beta(counts_of(n, distinct, others), {rank, third}, variance_ratio, skew_ratio));
      },
      "n"_a, "distinct"_a, "others"_a, "rank"_a, "third"_a, "variance_ratio"_a, "skew_ratio"_a,
      "Return the caveat of a Beta distribution, the value behind it, and the smallest p that is valid.");
  m.def(
      "judge_gamma",
      [](double n, Both distinct, Both others, double rank, double third, double fourth, double skew,
         double skew_ratio) {
        return as_tuple(judge_gamma(counts_of(n, distinct, others), {rank, third, fourth}, skew, skew_ratio));
      },
      "n"_a, "distinct"_a, "others"_a, "rank"_a, "third"_a, "fourth"_a, "skew"_a, "skew_ratio"_a,
      "Return the caveat of a Pearson III distribution, the value behind it, and the smallest p that is "
      "valid.");
  m.def(
      "judge_information", [](double min_expected) { return as_tuple(judge_information(min_expected)); },
      "min_expected"_a,
      "Return the caveat of a gamma distribution of mutual information, the value behind it, and the "
      "smallest p that "
      "is valid.");
  m.def(
      "finest_p",
      [](double n, double group_rows, double outside, double squared_skew, double kurtosis) {
        return finest_p({n, group_rows, outside, squared_skew, kurtosis});
      },
      "n"_a, "group_rows"_a, "outside"_a, "squared_skew"_a, "kurtosis"_a,
      "Return the p below which a smooth distribution misses atoms.");
  m.def("most_rare_others", &most_rare_others, "n"_a,
        "Return an upper bound on the rows that differ from the most common value if values may be rare.");
  m.def(
      "largest_cluster",
      [](In<double> values) {
        require(values.size > 0, "there are no values");
        return largest_cluster(values.data, values.size);
      },
      "values"_a, "Return the largest number of values within 0.3 standard deviations of each other.");
  m.attr("FEW_ROWS") = static_cast<int>(kFewRows);
  m.attr("TWO_VALUES") = kTwoValues;
}

// of(distribution, point) for each pair of parameters. Equal neighbors are computed once.
template <class Of>
std::vector<double> over_beta_distributions(const In<double>& a, const In<double>& b, const In<double>& at,
                                            Of of) {
  require(a.size == b.size, "a and b must be of one length");
  const Each point(at, a.size);
  std::vector<double> out(a.size);
  std::optional<BetaDistribution> distribution;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool is_new = i == 0 || a[i] != a[i - 1] || b[i] != b[i - 1];
    if (is_new) distribution.emplace(a[i], b[i]);
    out[i] = !is_new && point(i) == point(i - 1) ? out[i - 1] : of(*distribution, point(i));
  }
  return out;
}

// of(distribution, point) for each table.
template <class Of>
std::vector<double> over_tables(const In<std::int64_t>& n, const In<std::int64_t>& a,
                                const In<std::int64_t>& b, FourfoldValue value, const In<double>& at, Of of) {
  require(n.size == a.size && n.size == b.size, "n, a and b must be of one length");
  const Each point(at, n.size);
  std::vector<double> out(n.size);
  for (std::size_t i = 0; i < out.size(); ++i) {
    require(std::min(a[i], b[i]) > 0 && std::max(a[i], b[i]) < n[i], "0 < a, b < n");
    out[i] = of(FourfoldDistribution(n[i], a[i], b[i], value), point(i));
  }
  return out;
}

void bind_quantiles_and_tails(nb::module_& m) {
  m.def(
      "beta_parameters",
      [](InRows<double> moments) {
        require(moments.rows == 2, "a row of means and a row of variances");
        Rows<double> parameters(2, moments.columns);
        for (std::size_t k = 0; k < moments.columns; ++k) {
          const auto [a, b] = beta_parameters(moments.row(0)[k], moments.row(1)[k]);
          parameters.row(0)[k] = a;
          parameters.row(1)[k] = b;
        }
        return parameters;
      },
      "moments"_a, "Return a and b of the Beta distributions with these means and variances, one row each.");
  m.def(
      "beta_quantiles",
      [](In<double> a, In<double> b, double p) {
        return over_beta_distributions(a, b, {&p, 1}, std::mem_fn(&BetaDistribution::quantile));
      },
      "a"_a, "b"_a, "p"_a, without_gil, "Compute the p-quantile of each Beta(a, b).");
  m.def(
      "beta_tails",
      [](In<double> a, In<double> b, In<double> values) {
        return over_beta_distributions(
            a, b, values, [](const BetaDistribution& beta, double value) { return beta.tails(value).upper; });
      },
      "a"_a, "b"_a, "values"_a, without_gil,
      "Compute P(X >= value) of each Beta(a, b), with one value per distribution or one for all.");
  m.def(
      "fourfold_quantiles",
      [](In<std::int64_t> n, In<std::int64_t> a, In<std::int64_t> b, double p, Choice<FourfoldValue> value) {
        return over_tables(n, a, b, value, {&p, 1}, std::mem_fn(&FourfoldDistribution::quantile));
      },
      "n"_a, "a"_a, "b"_a, "p"_a, "value"_a, without_gil,
      "Compute the p-quantile of phi squared or mutual information (bits) of 2 x 2 tables with these "
      "totals.");
  m.def(
      "fourfold_tails",
      [](In<std::int64_t> n, In<std::int64_t> a, In<std::int64_t> b, In<double> values,
         Choice<FourfoldValue> value) {
        return over_tables(n, a, b, value, values, std::mem_fn(&FourfoldDistribution::tail));
      },
      "n"_a, "a"_a, "b"_a, "values"_a, "value"_a, without_gil,
      "Compute P(D >= value) of 2 x 2 tables with these totals.");
}

}  // namespace

void bind_distributions(nb::module_& m) {
  bind_matching(m);
  bind_rules(m);
  bind_quantiles_and_tails(m);
}

}  // namespace bychance
