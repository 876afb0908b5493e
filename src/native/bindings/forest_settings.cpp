// Settings of a tree: names and numbers of a Python object → structs and enums.
#include "bindings/forest.hpp"

namespace bychance {
namespace {

constexpr Named<Quantile> kQuantiles[] = {{"cantelli", Quantile::cantelli}, {"gamma", Quantile::gamma}};
constexpr Named<MissingRows> kMissingRows[] = {{"majority", MissingRows::majority},
                                               {"best", MissingRows::best}};
constexpr Named<CategoricalSplit> kCategorical[] = {{"multiway", CategoricalSplit::multiway},
                                                    {"ordered", CategoricalSplit::ordered}};

// How a gain is judged, and what of.
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

}  // namespace

void bind_forest_settings(nb::module_& m) {
  nb::class_<TreeSettings>(m, "TreeSettings", "How a tree is grown.")
      .def(
          "__init__",
          [](TreeSettings* self, const nb::object& settings) {
            new (self) TreeSettings(settings_of(settings));
          },
          "settings"_a);
}

}  // namespace bychance
