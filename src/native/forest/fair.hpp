// Fair scores: the normal score of the share of gains, under independence, that are larger.
//
// Gains of two classes in a small node are few numbers, and equal gains are common. Counted by half, they
// would leave a column of few values chosen too often or too seldom. So splits are compared by a share in
// which equal gains count by a part drawn at random for every column: under independence it is uniform,
// however few gains there are. Scores that are reported count them by half.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "forest/columns.hpp"
#include "forest/criterion.hpp"
#include "forest/exact.hpp"
#include "forest/few.hpp"
#include "forest/largest.hpp"

namespace bychance {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// As reported, and as compared with that of other columns.
struct SplitScore {
  double score, compared;

  SplitScore(double both) : score(both), compared(both) {}
  SplitScore(double reported, double drawn) : score(reported), compared(drawn) {}
};

class FairScores {
 public:
  explicit FairScores(const TreeColumns& data) : data_(data) {}

  // The column that is next. Its scores below `reached` may be left too high, or at minus infinity; `part` is
  // that of equal gains.
  void start(const NodeGroups& groups, double reached, double part);
  // A split of this variance fixed in advance into r children.
  SplitScore of_fixed(const NodeNull& null, double gain, double r, double reciprocals, double variance);
  // The best of the cuts first … last-1.
  SplitScore of_cut(const NodeNull& null, double gain, std::size_t first, std::size_t last);
  // Category number g of many, of so many rows, against the others, as reported; what is below the best of
  // them may be left at minus infinity.
  double of_category(const NodeNull& null, double gain, std::size_t g, double rows, double reciprocals,
                     double variance);
  // The best of these, whose own score this is.
  SplitScore of_single(const NodeNull& null, double score);
  // Whether the best of the cuts between d values may have a score above `reached`, ties aside.
  static bool can_pass(const NodeNull& null, double gain, double d, double reached);
  // The better of two splits of a column, were they independent.
  static double of_best(double score, double m);
  // That of one split below `score`, and of `m` others below another, were they independent.
  static double of_both(double score, double other, double m);

 private:
  struct Child {
    double weight, rows;
  };
  struct FixedSplit {
    double gain, r, reciprocals, variance;
    Child child;  // one of two; of no weight: where it is not known
  };
  Child child_of(const NodeNull& null, const FixedSplit& split) const;
  Law* law_of_classes(const NodeNull& null, const FixedSplit& split, double m, double enough,
                      double& fitted_score);
  Law* law_of_numbers(const NodeNull& null, const FixedSplit& split, double enough, double& fitted_score);
  double fitted(const NodeNull& null, double gain, double r, const CubeRootLaw& law, double margin = 0);
  double explained(const NodeNull& null, const FixedSplit& split);
  bool can_reach(const NodeNull& null, double gain, const CubeRootLaw& law, double margin);
  double share();
  double most_share() { return share() * (1 + kRounding); }
  bool is_beaten(double share) { return share > most_share(); }
  bool is_far_beaten(double own, double power);
  double reached();
  SplitScore of_law(Law& law);
  static double reported(Law& law);
  bool has_counts(const NodeNull& null) const;
  bool has_distinct() const;
  double count_cuts(double n, std::size_t first, std::size_t last);
  bool can_reach_easiest(const NodeNull& null, double gain);
  CubeRootLaw law_of_cuts(const NodeNull& null, std::size_t first, std::size_t last);
  double share_at_ends(const NodeNull& null, double gain, std::size_t first, std::size_t last);

  static constexpr double kRounding = 1e-8;

  const TreeColumns& data_;
  TwoClasses& classes_ = TwoClasses::of_this_thread();
  LargestFirst largest_;
  std::uint64_t largest_of_ = 0;       // the node whose numbers it has; 0: none
  bool is_largest_of_column_ = false;  // whether it has those of the rows that have a value of this column
  Law heavy_;                          // of numbers, the last
  const NodeGroups* groups_ = nullptr;
  // What scores as compared have to reach, and as reported; the best of the column's categories so far.
  double compared_ = kMinusInfinity, reached_ = kMinusInfinity, category_ = kMinusInfinity;
  double least_share_ = std::numeric_limits<double>::infinity();  // of the categories, where laws are exact
  double part_ = 0.5, share_ = 1, share_at_ = kMinusInfinity;
  struct {
    double n = 0;
    std::size_t first = 0, last = 0;
    double cuts = 0;
  } distinct_;  // of the last cuts of single rows
};

}  // namespace bychance
