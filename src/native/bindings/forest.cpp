// Forests: columns, target and settings in, trees out, the GIL released in between.
#include "bindings/forest.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/stop.hpp"
#include "forest/order.hpp"

namespace bychance {
namespace {

constexpr Named<Quantile> kQuantiles[] = {{"cantelli", Quantile::cantelli}, {"gamma", Quantile::gamma}};
constexpr Named<MissingRows> kMissingRows[] = {{"majority", MissingRows::majority},
                                               {"best", MissingRows::best}};
constexpr Named<CategoricalSplit> kCategorical[] = {{"multiway", CategoricalSplit::multiway},
                                                    {"ordered", CategoricalSplit::ordered}};

// The criterion that judges a gain, and its settings.
struct Judged {
  Score score;
  ClassSum class_sum = ClassSum::squares;
};

constexpr Named<Judged> kCriteria[] = {
    {"gini", {Score::raw}},           {"entropy", {Score::raw, ClassSum::xlogx}},
    {"sgini", {Score::standardized}}, {"agini", {Score::adjusted}},
    {"variance", {Score::raw}},       {"standardized", {Score::standardized}},
    {"adjusted", {Score::adjusted}},  {"fair", {Score::fair}}};

// `settings` has these attributes: GrowSettings in forest/settings.py.
TreeSettings settings_of(const nb::object& settings) {
  const auto text = [&](const char* name) { return nb::cast<std::string>(settings.attr(name)); };
  const auto count = [&](const char* name) { return nb::cast<std::size_t>(settings.attr(name)); };
  const auto number = [&](const char* name) { return nb::cast<double>(settings.attr(name)); };
  GrowRules rules;
  const Judged judged = named(kCriteria, text("criterion"), "unknown criterion");
  rules.split.score = judged.score;
  rules.split.class_sum = judged.class_sum;
  rules.split.null = judged.score == Score::fair ? NullModel::moments : null_of(text("null"));
  rules.split.quantile = named(kQuantiles, text("quantile"), "unknown quantile");
  rules.split.deviation = number("deviation");
  rules.split.min_samples_leaf = count("min_samples_leaf");
  rules.split.random_cuts = nb::cast<bool>(settings.attr("random_cuts"));
  rules.categorical = named(kCategorical, text("categorical_split"), "unknown split of categories");
  rules.missing = named(kMissingRows, text("missing"), "missing must be 'majority' or 'best'");
  rules.max_features = count("max_features");
  rules.max_depth = count("max_depth");
  rules.min_samples_split = count("min_samples_split");
  rules.min_score = number("min_adjusted_gain");
  return {rules, count("n_grow"), count("n_order"), nb::cast<bool>(settings.attr("bootstrap"))};
}

// Mean and variance, from the sizes of the children.
std::tuple<double, double> gain_of_split(const NodeNull& node, const In<double>& children) {
  double reciprocals = 0;
  for (std::size_t i = 0; i < children.size(); ++i) reciprocals += 1 / children.data()[i];
  const auto r = static_cast<double>(children.size());
  return {node.mean(r), node.variance(r, reciprocals)};
}

}  // namespace

void bind_forest(nb::module_& m) {
  bind_forest_columns(m);
  bind_forest_tree(m);
  nb::class_<TreeSettings>(m, "TreeSettings", "Settings of a tree.")
      .def(
          "__init__",
          [](TreeSettings* self, const nb::object& settings) {
            new (self) TreeSettings(settings_of(settings));
          },
          "settings"_a);
  m.def(
      "grow_trees",
      [](const FeatureTable& features, const Target& target, const TreeSettings& settings,
         const std::vector<Key>& keys, const std::vector<std::string>& shrinkages, std::size_t step,
         Layers out, Total<std::int64_t> n_trees, Stop* stop) {
        require(target.n_rows() == features.n_rows, "the target must have one entry per row");
        require(settings.n_grow > 0 &&
                    (settings.bootstrap || settings.n_grow + settings.n_order <= features.n_rows),
                "n_grow and n_order must not exceed the rows");
        std::vector<PhiloxKey> streams;
        for (const auto& [low, high] : keys) streams.push_back({low, high});
        const Votes votes = votes_of(features, target.n_outputs(), shrinkages, step, out, n_trees);
        nb::gil_scoped_release release;
        return grow_trees(features, target, settings, streams, votes, StoppableCall(stop).watch());
      },
      "features"_a, "target"_a, "settings"_a, "keys"_a, "shrinkages"_a, "step"_a, "out"_a, "n_trees"_a,
      "stop"_a.none() = nb::none(), "Grow one tree per key, and add their out-of-bag votes.");
  m.def(
      "category_positions",
      [](InRows<double> cells) {
        require(cells.shape(1) > 0, "cells must have one column a class");
        return to_numpy(category_positions({cells.data(), cells.data() + cells.size()}, cells.shape(1)));
      },
      "cells"_a, "Return the positions of categories ordered by class, from one row of class weights each.");
  m.def(
      "split_null",
      [](In<double> children, In<double> classes, const std::string& null) {
        return gain_of_split(NodeNull::of_classes(classes.data(), classes.size(), null_of(null)), children);
      },
      "children"_a, "classes"_a, "null"_a, "Return mean and variance of the Gini gain of a split.");
  m.def(
      "number_null",
      [](In<double> children, double n, double variance, double fourth) {
        return gain_of_split(NodeNull::of_numbers(n, variance, fourth), children);
      },
      "children"_a, "n"_a, "variance"_a, "fourth"_a,
      "Return mean and variance of a split's reduction of variance, from central moments.");
}

}  // namespace bychance
