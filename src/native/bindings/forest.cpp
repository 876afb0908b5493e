// Forests: columns, target and settings in, trees out; grown trees and all there is to them as arrays.
#include <nanobind/stl/pair.h>

#include <numeric>

#include "bindings/arrays.hpp"
#include "forest/grow.hpp"
#include "forest/out_of_bag.hpp"

namespace bychance {

using namespace forest;

// The criterion that judges a gain, and its settings.
struct Judged {
  Score score;
  ClassSum class_sum = ClassSum::squares;
};

template <>
inline constexpr Named<Judged> kNames<Judged>[] = {
    {"gini", {Score::raw}},           {"entropy", {Score::raw, ClassSum::xlogx}},
    {"sgini", {Score::standardized}}, {"agini", {Score::adjusted}},
    {"variance", {Score::raw}},       {"standardized", {Score::standardized}},
    {"adjusted", {Score::adjusted}},  {"fair", {Score::fair}}};
template <>
inline constexpr Named<NullModel> kNames<NullModel>[] = {{"moments", NullModel::moments},
                                                         {"multinomial", NullModel::multinomial}};
template <>
inline constexpr Named<Quantile> kNames<Quantile>[] = {{"cantelli", Quantile::cantelli},
                                                       {"gamma", Quantile::gamma}};
template <>
inline constexpr Named<MissingRows> kNames<MissingRows>[] = {{"majority", MissingRows::majority},
                                                             {"best", MissingRows::best}};
template <>
inline constexpr Named<CategoricalSplit> kNames<CategoricalSplit>[] = {
    {"multiway", CategoricalSplit::multiway}, {"ordered", CategoricalSplit::ordered}};
template <>
inline constexpr Named<Shrinkage> kNames<Shrinkage>[] = {{"none", Shrinkage::none},
                                                         {"rows", Shrinkage::rows},
                                                         {"chance", Shrinkage::chance},
                                                         {"leaf5", Shrinkage::leaf5},
                                                         {"leaf10", Shrinkage::leaf10}};

namespace {

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;
using Codes = In<std::int32_t>;
using Layers = Array<double, 3>;

void require_same_columns(const Tree& tree, std::size_t n_columns) {
  require(tree.order_start.size() == n_columns + 1, "rows must have the columns of the tree");
}

void require_training_rows(const Tree& tree, const FeatureTable& rows) {
  require_same_columns(tree, rows.columns.size());
  require(rows.n_rows == tree.sample.n_rows, "rows must be those of training");
}

Votes votes_of(const FeatureTable& rows, std::size_t n_outputs, const std::vector<std::string>& shrinkages,
               std::size_t step, const Layers& out, const Span<std::int64_t>& n_trees) {
  require(step > 0, "step must be positive");
  Votes votes{{}, step, out.data(), n_trees.data};
  const std::size_t n_rows = votes.n_rows(rows.n_rows);
  require(out.shape(0) == shrinkages.size() && out.shape(1) == n_rows && out.shape(2) == n_outputs &&
              n_trees.size == n_rows,
          "out must have one layer a shrinkage, one row a row with votes and one column a class");
  for (const std::string& name : shrinkages) votes.layers.push_back(option_of<Shrinkage>(name));
  return votes;
}

constexpr const char* kCodes = "codes must number the values";

void require_column(const FeatureTable& table, std::size_t column, std::size_t n) {
  require(column < table.columns.size(), "there is no such column");
  require(n == table.n_rows, "columns must be of one length");
}

void require_room(const FeatureRows& rows, std::size_t n) {
  require(n == rows.n_rows, "columns must be of one length");
  require(rows.n_added < rows.n_columns(), "all columns are there already");
}

template <class T>
std::vector<T> copied(const In<T>& values) {
  return {values.begin(), values.end()};
}

// No weights are none.
std::vector<double> weights_of(const In<double>& weights, std::size_t n) {
  require(!weights.data || weights.size == n, "weights must have one number per row");
  return copied(weights);
}

void bind_target(nb::module_& m) {
  nb::class_<Target>(m, "Target", "The values that trees predict.")
      .def_static(
          "of_classes",
          [](Codes y, std::size_t n_classes, In<double> weights) {
            require(n_classes > 0, "there must be a class");
            require_below(y, n_classes, "y must hold class numbers");
            return Target{n_classes, copied(y), {}, weights_of(weights, y.size)};
          },
          "y"_a, "n_classes"_a, "weights"_a.none(), "Make a target of class numbers.")
      .def_static(
          "of_numbers",
          [](In<double> y, In<double> weights) {
            return Target{0, {}, copied(y), weights_of(weights, y.size)};
          },
          "y"_a, "weights"_a.none(), "Make a target of finite numbers.")
      .def_prop_ro("n_outputs", &Target::n_outputs);
}

void bind_forest_columns(nb::module_& m) {
  bind_target(m);
  nb::class_<FeatureTable>(m, "FeatureTable", "Training columns as codes.")
      .def(nb::init<std::size_t, std::size_t>(), "n_rows"_a, "n_columns"_a)
      .def(
          "set_numbers",
          [](FeatureTable& self, std::size_t column, In<double> numbers) {
            require_column(self, column, numbers.size);
            self.set_numbers(column, numbers.data);
          },
          "column"_a, "numbers"_a, without_gil, "Rank the numbers. NaN is missing.")
      .def(
          "set_ranks",
          [](FeatureTable& self, std::size_t column, Codes codes, In<double> values) {
            require_column(self, column, codes.size);
            require_below(codes, values.size, kCodes, -1);
            self.set_ranks(column, codes.data, values.data, values.size);
          },
          "column"_a, "codes"_a, "values"_a, "Set the ranks of ascending distinct values. -1 is missing.")
      .def(
          "set_categories",
          [](FeatureTable& self, std::size_t column, Codes codes, std::size_t n_categories) {
            require_column(self, column, codes.size);
            require_below(codes, n_categories, kCodes, -1);
            self.set_categories(column, codes.data, n_categories);
          },
          "column"_a, "codes"_a, "n_categories"_a, "Set category numbers. -1 is missing.")
      .def(
          "codes",
          [](const FeatureTable& self, std::size_t column) {
            const FeatureColumn& picked = self.columns.at(column);
            std::vector<std::int32_t> codes;
            for (std::size_t row = 0; row < self.n_rows; ++row) {
              const std::uint32_t code = picked.codes[row];
              codes.push_back(code == picked.n_codes ? -1 : static_cast<std::int32_t>(code));
            }
            return codes;
          },
          "column"_a, without_gil, "Return the codes of a column. -1 is missing.")
      .def(
          "values",
          [](const FeatureTable& self, std::size_t column) { return self.columns.at(column).values; },
          "column"_a, "Return the distinct values of a numeric column in ascending order.")
      .def_ro("n_rows", &FeatureTable::n_rows);
  nb::class_<FeatureRows>(m, "FeatureRows", "New rows, columns as those of a FeatureTable.")
      .def(nb::init<std::size_t, std::size_t>(), "n_rows"_a, "n_columns"_a)
      .def(
          "add_numeric",
          [](FeatureRows& self, In<double> numbers) {
            require_room(self, numbers.size);
            self.add_numeric(numbers.data);
          },
          "numbers"_a.noconvert(), nb::keep_alive<1, 2>(), without_gil,
          "Add numbers without a copy. NaN is missing.")
      .def(
          "add_categorical",
          [](FeatureRows& self, Codes codes, std::size_t n_categories) {
            require_room(self, codes.size);
            require_below(codes, n_categories, kCodes, -2);
            self.add_categorical(codes.data);
          },
          "codes"_a.noconvert(), "n_categories"_a, nb::keep_alive<1, 2>(), without_gil,
          "Add category numbers without a copy. -1 is missing, -2 unseen in training.")
      .def_ro("n_rows", &FeatureRows::n_rows);
}

// Calls of_tree(name, array) with each array of a tree and of_splits(name, field) with each field of a split.
template <class TheTree, class OfTree, class OfSplits>
void over_arrays(TheTree& tree, OfTree of_tree, OfSplits of_splits) {
  of_tree("split_of", tree.split_of);
  of_tree("value_of", tree.value_of);
  of_tree("size_of", tree.size_of);
  of_tree("values", tree.values);
  of_tree("answers", tree.answers);
  of_tree("variance_of", tree.variance_of);
  of_tree("first_row", tree.first_row);
  of_tree("n_rows_of", tree.n_rows_of);
  of_tree("rows", tree.rows);
  of_tree("categories", tree.categories);
  of_tree("order_start", tree.order_start);
  of_tree("positions", tree.positions);
  of_splits("threshold", &Split::threshold);
  of_splits("gain", &Split::gain);
  of_splits("score", &Split::score);
  of_splits("feature", &Split::feature);
  of_splits("first_child", &Split::first_child);
  of_splits("n_children", &Split::n_children);
  of_splits("missing_child", &Split::missing_child);
  of_splits("first_category", &Split::first_category);
  of_splits("kind", &Split::kind);
}

Arrays arrays_of(const Tree& tree) {
  Arrays out;
  over_arrays(
      tree, [&](const char* name, auto values) { out[name] = std::move(values); },
      [&](const char* name, auto field) { out[name] = field_of(tree.splits, field); });
  const Sample& sample = tree.sample;
  out["sample"] = std::vector<std::uint64_t>{static_cast<std::uint64_t>(tree.n_classes),
                                             sample.n_rows,
                                             sample.n_grow,
                                             sample.n_order,
                                             sample.bootstrap,
                                             sample.key.first,
                                             sample.key.second};
  return out;
}

template <class T>
std::vector<T> vector_of(const Arrays& arrays, const char* name) {
  return copied(In<T>(nb::cast<Array<const T, 1>>(arrays[name])));
}

template <class T>
void set_field(const Arrays& arrays, const char* name, T Split::* field, std::vector<Split>& splits) {
  const auto values = vector_of<Stored<T>>(arrays, name);
  require(values.size() == splits.size(), "arrays of splits must be of one length");
  for (std::size_t k = 0; k < splits.size(); ++k) splits[k].*field = static_cast<T>(values[k]);
}

Tree tree_of(const Arrays& arrays) {
  Tree tree;
  tree.splits.resize(vector_of<double>(arrays, "threshold").size());
  over_arrays(
      tree,
      [&](const char* name, auto& values) {
        values = vector_of<typename std::decay_t<decltype(values)>::value_type>(arrays, name);
      },
      [&](const char* name, auto field) { set_field(arrays, name, field, tree.splits); });
  const auto sample = vector_of<std::uint64_t>(arrays, "sample");
  require(sample.size() == 7, "sample must have seven numbers");
  tree.n_classes = static_cast<std::int32_t>(sample[0]);
  tree.sample = {sample[1], sample[2], sample[3], sample[4] != 0, {sample[5], sample[6]}};
  check_tree(tree);
  take_steps(tree);
  return tree;
}

void bind_forest_tree(nb::module_& m) {
  nb::class_<Tree> tree(m, "Tree", "A grown tree.");
  m.def(
      "add_answers",
      [](const std::vector<const Tree*>& trees, const FeatureRows& rows, Grid<double> out) {
        for (const Tree* each : trees) {
          require_same_columns(*each, rows.n_columns());
          require(out.rows == rows.n_rows && out.columns == each->n_outputs(),
                  "out must have one row a row and one column a class");
        }
        Watch watch = watch_for();
        add_answers(trees, rows, out.data, watch);
      },
      "trees"_a, "rows"_a, "out"_a, without_gil,
      "Add the class shares, or the mean, of each row's leaf in each tree.");
  tree.def(
      "apply",
      [](const Tree& self, const FeatureRows& rows) {
        require_same_columns(self, rows.n_columns());
        std::vector<std::int32_t> nodes;
        nodes.reserve(rows.n_rows);
        for (std::size_t row = 0; row < rows.n_rows; ++row) nodes.push_back(end_of(self, rows, row));
        return nodes;
      },
      "rows"_a, without_gil, "Return the node in which each row ends.");
  tree.def(
      "add_out_of_bag",
      [](const Tree& self, const FeatureTable& rows, const std::vector<std::string>& shrinkages,
         std::size_t step, const Layers& out, Span<std::int64_t> n_trees) {
        require_training_rows(self, rows);
        const Votes votes = votes_of(rows, self.n_outputs(), shrinkages, step, out, n_trees);
        Watch watch = watch_for();
        add_out_of_bag(self, sample_rows(self.sample), rows, votes, watch);
      },
      "rows"_a, "shrinkages"_a, "step"_a, "out"_a, "n_trees"_a, without_gil,
      "Add the answers for out-of-bag rows, and count them.");
  tree.def("copy", [](const Tree& self) { return self; });
  tree.def(
      "shrink", [](Tree& self, Choice<Shrinkage> shrinkage) { shrink(self, shrinkage); }, "shrinkage"_a,
      without_gil, "Shrink the answers of the nodes.");
  tree.def(
      "add_importances",
      [](const Tree& self, const FeatureTable& rows, const Target& target, Span<double> importance,
         Grid<double> freedom, Grid<double> by_block) {
        require_training_rows(self, rows);
        require(
            target.n_rows() == rows.n_rows && target.n_classes == static_cast<std::size_t>(self.n_classes),
            "the target must be that of training");
        const std::size_t n = rows.columns.size();
        require(importance.size == n && freedom.rows == 2 && freedom.columns == n && by_block.rows == n &&
                    by_block.columns > 0,
                "importances must have one column a feature, blocks of rows one line");
        const ImportanceSums sums{importance.data, freedom.row(0), freedom.row(1), by_block.data,
                                  by_block.columns};
        Watch watch = watch_for();
        add_importances(self, rows, target, sums, watch);
      },
      "rows"_a, "target"_a, "importance"_a, "freedom"_a, "by_block"_a, without_gil,
      "Add the gains of splits on out-of-bag rows: by feature, with the weight and the degrees of freedom of "
      "the fit, and by block of rows.");
  tree.def(
      "roles", [](const Tree& self) { return sample_rows(self.sample).roles; },
      "Return 0 for training rows grown on, 1 for rows that order categories, 2 for rows out of bag.");
  tree.def("arrays", &arrays_of, "Return the whole tree as flat arrays.");
  tree.def("__getstate__", &arrays_of);
  tree.def("__setstate__", [](Tree& self, const Arrays& arrays) { new (&self) Tree(tree_of(arrays)); });
  tree.def_prop_ro("n_nodes", &Tree::n_nodes);
  tree.def_prop_ro("is_shrunk", [](const Tree& self) { return !self.answers.empty(); });
  m.def(
      "leaf_quantiles",
      [](const std::vector<const Tree*>& trees, const FeatureRows& rows, In<double> sorted,
         In<std::uint32_t> ranks, In<double> weights, In<double> levels) {
        require_below(ranks, sorted.size, "ranks must be places of numbers");
        for (const Tree* tree : trees) {
          require_same_columns(*tree, rows.n_columns());
          require(tree->is_of_numbers() && tree->sample.n_rows == ranks.size,
                  "trees must be grown on these numbers");
        }
        const RankedNumbers numbers{copied(sorted), copied(ranks), weights_of(weights, ranks.size)};
        Rows<double> out(rows.n_rows, levels.size);
        Watch watch = watch_for();
        leaf_quantiles(trees, rows, numbers, copied(levels), out.data, watch);
        return out;
      },
      "trees"_a, "rows"_a, "sorted"_a, "ranks"_a, "weights"_a.none(), "levels"_a, without_gil,
      "Compute quantiles over the training rows that share leaves with each row.");
}

// `settings` has these attributes: GrowSettings in forest/settings.py.
TreeSettings settings_of(const nb::object& settings) {
  const auto set = [&](const char* name, auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_arithmetic_v<Value>) {
      value = nb::cast<Value>(settings.attr(name));
    } else {
      value = option_of<Value>(nb::cast<std::string>(settings.attr(name)));
    }
  };
  TreeSettings made;
  Judged judged;
  set("criterion", judged);
  SplitRules& split = made.rules.split;
  split.score = judged.score;
  split.class_sum = judged.class_sum;
  if (judged.score != Score::fair) set("null", split.null);
  set("quantile", split.quantile);
  set("deviation", split.deviation);
  set("min_samples_leaf", split.min_samples_leaf);
  set("random_cuts", split.random_cuts);
  set("categorical_split", made.rules.categorical);
  set("missing", made.rules.missing);
  set("max_features", made.rules.max_features);
  set("max_depth", made.rules.max_depth);
  set("min_samples_split", made.rules.min_samples_split);
  set("min_adjusted_gain", made.rules.min_score);
  set("n_grow", made.n_grow);
  set("n_order", made.n_order);
  set("bootstrap", made.bootstrap);
  return made;
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
         const std::vector<PhiloxKey>& keys, const std::vector<std::string>& shrinkages, std::size_t step,
         const Layers& out, Span<std::int64_t> n_trees, Stop* stop) {
        require(target.n_rows() == features.n_rows, "the target must have one entry per row");
        require(settings.n_grow > 0 &&
                    (settings.bootstrap || settings.n_grow + settings.n_order <= features.n_rows),
                "n_grow and n_order must not exceed the rows");
        const Votes votes = votes_of(features, target.n_outputs(), shrinkages, step, out, n_trees);
        Watch watch = watch_for(stop);
        return grow_trees(features, target, settings, keys, votes, watch);
      },
      "features"_a, "target"_a, "settings"_a, "keys"_a, "shrinkages"_a, "step"_a, "out"_a, "n_trees"_a,
      "stop"_a.none() = nb::none(), without_gil, "Grow one tree per key, and add their out-of-bag votes.");
  m.def(
      "category_positions",
      [](InRows<double> cells) {
        require(cells.columns > 0, "cells must have one column a class");
        std::vector<double> weights;
        for (std::size_t i = 0; i < cells.rows; ++i) {
          weights.push_back(std::accumulate(cells.row(i), cells.row(i + 1), 0.0));
        }
        return category_positions(weights, {cells.data, cells.row(cells.rows)}, cells.columns);
      },
      "cells"_a, "Return the positions of categories ordered by class, from one row of class weights each.");
}

}  // namespace bychance
