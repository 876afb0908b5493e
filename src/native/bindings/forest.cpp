// Forests: columns and rows in, trees out, the GIL released in between.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/stop.hpp"
#include "forest/grow.hpp"
#include "forest/null.hpp"
#include "forest/order.hpp"
#include "forest/shrink.hpp"

namespace bychance {
namespace {

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;
using Codes = In<std::int32_t>;
using Layers = nb::ndarray<double, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Tally = nb::ndarray<std::int64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Options>
std::size_t position(const Options& options, const std::string& name, const char* rule) {
  for (std::size_t k = 0; k < std::size(options); ++k) {
    if (name == options[k]) return k;
  }
  throw std::invalid_argument(rule);
}

constexpr const char* kCriteria[] = {"gini", "entropy", "sgini", "agini", "fair"};
constexpr const char* kNulls[] = {"moments", "multinomial"};
constexpr const char* kQuantiles[] = {"cantelli", "gamma"};
constexpr const char* kCategorical[] = {"multiway", "ordered", "single", "both"};
constexpr const char* kMissingRows[] = {"majority", "best"};

constexpr const char* kShrinkages[] = {"none", "rows", "chance"};

Shrinkage shrinkage_of(const std::string& name) {
  return static_cast<Shrinkage>(position(kShrinkages, name, "unknown shrinkage"));
}

NullModel null_of(const std::string& name) {
  return static_cast<NullModel>(position(kNulls, name, "null must be 'moments' or 'multinomial'"));
}

void require_codes(const Codes& codes, std::int32_t least, std::size_t n_codes) {
  for (std::size_t k = 0; k < codes.size(); ++k) {
    require(codes.data()[k] >= least && codes.data()[k] < static_cast<std::int64_t>(n_codes),
            "codes must number the values");
  }
}

template <class Columns>
void require_length(const Columns& columns, std::size_t n) {
  require(columns.columns.empty() || n == columns.n_rows, "columns must be of one length");
}

void require_same_columns(const Tree& tree, std::size_t n_columns) {
  require(tree.order_start.size() == n_columns + 1, "rows must have the columns of the tree");
}

void require_labels(const FeatureTable& table, const Codes& y, std::size_t n_classes,
                    const std::optional<In<double>>& weights) {
  require(y.size() == table.n_rows, "y must have one class a row");
  require_below(y, n_classes, "y must hold class numbers");
  if (!weights) return;
  require(weights->size() == table.n_rows, "weights must have one number a row");
  for (std::size_t k = 0; k < weights->size(); ++k) {
    require(weights->data()[k] >= 0, "weights must not be negative");
  }
}

Votes votes_of(const FeatureTable& rows, std::size_t n_classes, const std::vector<std::string>& shrinkages,
               const Layers& out, const Tally& n_trees) {
  require(out.shape(0) == shrinkages.size() && out.shape(1) == rows.n_rows && out.shape(2) == n_classes &&
              n_trees.size() == rows.n_rows,
          "out must have one layer a shrinkage, one row a row and one column a class");
  Votes votes{{}, out.data(), n_trees.data()};
  for (const std::string& name : shrinkages) votes.layers.push_back(shrinkage_of(name));
  return votes;
}

template <class Rows>
void bind_answers(nb::class_<Tree>& tree) {
  tree.def(
      "add_probabilities",
      [](const Tree& self, const Rows& rows, Table out) {
        require_same_columns(self, rows.columns.size());
        require(out.shape(0) == rows.n_rows && out.shape(1) == static_cast<std::size_t>(self.n_classes),
                "out must have one row a row and one column a class");
        nb::gil_scoped_release released;
        add_probabilities(self, rows, out.data(), StoppableCall(nullptr).watch());
      },
      "rows"_a, "out"_a, "Adds the class shares of the leaf of each row.");
  tree.def(
      "apply",
      [](const Tree& self, const Rows& rows) {
        require_same_columns(self, rows.columns.size());
        std::vector<std::int32_t> nodes(rows.n_rows);
        {
          nb::gil_scoped_release released;
          apply(self, rows, nodes.data(), StoppableCall(nullptr).watch());
        }
        return to_numpy(std::move(nodes));
      },
      "rows"_a, "The node where each row ends.");
}

template <class Field, class T = Field>
Out<T> split_field(const Tree& tree, Field Split::* field) {
  std::vector<T> out;
  out.reserve(tree.splits.size());
  for (const Split& split : tree.splits) out.push_back(static_cast<T>(split.*field));
  return to_numpy(std::move(out));
}

template <class T>
nb::object copy_of(const std::vector<T>& values) {
  return nb::cast(to_numpy(std::vector<T>(values)));
}

Arrays arrays_of(const Tree& tree) {
  Arrays out;
  out["split_of"] = copy_of(tree.split_of);
  out["value_of"] = copy_of(tree.value_of);
  out["size_of"] = copy_of(tree.size_of);
  out["counts"] = copy_of(tree.counts);
  out["shares"] = copy_of(tree.shares);
  out["categories"] = copy_of(tree.categories);
  out["order_start"] = copy_of(tree.order_start);
  out["positions"] = copy_of(tree.positions);
  out["threshold"] = nb::cast(split_field(tree, &Split::threshold));
  out["gain"] = nb::cast(split_field(tree, &Split::gain));
  out["score"] = nb::cast(split_field(tree, &Split::score));
  out["feature"] = nb::cast(split_field(tree, &Split::feature));
  out["first_child"] = nb::cast(split_field(tree, &Split::first_child));
  out["n_children"] = nb::cast(split_field(tree, &Split::n_children));
  out["missing_child"] = nb::cast(split_field(tree, &Split::missing_child));
  out["first_category"] = nb::cast(split_field(tree, &Split::first_category));
  out["kind"] = nb::cast(split_field<SplitKind, std::uint8_t>(tree, &Split::kind));
  const Sample& sample = tree.sample;
  out["sample"] = nb::cast(to_numpy(
      std::vector<std::uint64_t>{static_cast<std::uint64_t>(tree.n_classes), sample.n_rows, sample.n_grow,
                                 sample.n_order, sample.bootstrap, sample.key.low, sample.key.high}));
  return out;
}

template <class T>
std::vector<T> vector_of(const Arrays& arrays, const char* name) {
  const auto values = nb::cast<In<T>>(arrays[name]);
  return {values.data(), values.data() + values.size()};
}

template <class Stored, class Field>
void set_field(const Arrays& arrays, const char* name, Field Split::* field, std::vector<Split>& splits) {
  const auto values = vector_of<Stored>(arrays, name);
  require(values.size() == splits.size(), "arrays of splits must be of one length");
  for (std::size_t k = 0; k < splits.size(); ++k) splits[k].*field = static_cast<Field>(values[k]);
}

Tree tree_of(const Arrays& arrays) {
  Tree tree;
  tree.split_of = vector_of<std::int32_t>(arrays, "split_of");
  tree.value_of = vector_of<std::int32_t>(arrays, "value_of");
  tree.size_of = vector_of<double>(arrays, "size_of");
  tree.counts = vector_of<double>(arrays, "counts");
  tree.shares = vector_of<double>(arrays, "shares");
  tree.categories = vector_of<std::int32_t>(arrays, "categories");
  tree.order_start = vector_of<std::int32_t>(arrays, "order_start");
  tree.positions = vector_of<std::int32_t>(arrays, "positions");
  tree.splits.resize(vector_of<double>(arrays, "threshold").size());
  set_field<double>(arrays, "threshold", &Split::threshold, tree.splits);
  set_field<double>(arrays, "gain", &Split::gain, tree.splits);
  set_field<double>(arrays, "score", &Split::score, tree.splits);
  set_field<std::int32_t>(arrays, "feature", &Split::feature, tree.splits);
  set_field<std::int32_t>(arrays, "first_child", &Split::first_child, tree.splits);
  set_field<std::int32_t>(arrays, "n_children", &Split::n_children, tree.splits);
  set_field<std::int32_t>(arrays, "missing_child", &Split::missing_child, tree.splits);
  set_field<std::int32_t>(arrays, "first_category", &Split::first_category, tree.splits);
  set_field<std::uint8_t>(arrays, "kind", &Split::kind, tree.splits);
  const auto sample = vector_of<std::uint64_t>(arrays, "sample");
  require(sample.size() == 7, "sample must have seven numbers");
  tree.n_classes = static_cast<std::int32_t>(sample[0]);
  tree.sample = {sample[1], sample[2], sample[3], sample[4] != 0, {sample[5], sample[6]}};
  check_tree(tree);
  return tree;
}

std::vector<SplitUpTo> splits_of(const nb::handle& listed) {
  std::vector<SplitUpTo> splits;
  for (const auto& [n_categories, name] :
       nb::cast<std::vector<std::tuple<std::uint32_t, std::string>>>(listed)) {
    const std::size_t split = position(kCategorical, name, "unknown split of categories");
    splits.push_back({n_categories, static_cast<CategoricalSplit>(split)});
  }
  return splits;
}

TreeSettings settings_of(const Arrays& settings) {
  const auto text = [&](const char* name) { return nb::cast<std::string>(settings[name]); };
  const auto count = [&](const char* name) { return nb::cast<std::size_t>(settings[name]); };
  const auto number = [&](const char* name) { return nb::cast<double>(settings[name]); };
  GrowRules rules;
  rules.split.criterion = static_cast<Criterion>(position(kCriteria, text("criterion"), "unknown criterion"));
  rules.split.null = null_of(text("null"));
  rules.split.quantile = static_cast<Quantile>(position(kQuantiles, text("quantile"), "unknown quantile"));
  rules.split.deviation = number("deviation");
  rules.split.min_samples_leaf = count("min_samples_leaf");
  rules.categorical.with_order = splits_of(settings["with_order"]);
  rules.categorical.without_order = splits_of(settings["without_order"]);
  rules.categorical.order_rows = count("order_rows");
  rules.categorical.has_identifiers = nb::cast<bool>(settings["has_identifiers"]);
  rules.missing = static_cast<MissingRows>(
      position(kMissingRows, text("missing"), "missing must be 'majority' or 'best'"));
  rules.max_features = count("max_features");
  rules.max_depth = count("max_depth");
  rules.min_samples_split = count("min_samples_split");
  rules.min_score = number("min_adjusted_gain");
  rules.multiway_margin = number("multiway_margin");
  return {rules, count("n_grow"), count("n_order"), nb::cast<bool>(settings["bootstrap"])};
}

void bind_columns(nb::module_& m) {
  nb::class_<FeatureTable>(m, "FeatureTable", "Training columns as codes.")
      .def(nb::init<>())
      .def(
          "add_numeric",
          [](FeatureTable& self, Codes codes, In<double> values) {
            require_length(self, codes.size());
            require_codes(codes, -1, values.size());
            nb::gil_scoped_release released;
            self.add_numeric(codes.data(), codes.size(), values.data(), values.size());
          },
          "codes"_a, "values"_a, "Ranks of ascending distinct values; -1 is missing.")
      .def(
          "add_categorical",
          [](FeatureTable& self, Codes codes, std::size_t n_categories) {
            require_length(self, codes.size());
            require_codes(codes, -1, n_categories);
            nb::gil_scoped_release released;
            self.add_categorical(codes.data(), codes.size(), n_categories);
          },
          "codes"_a, "n_categories"_a, "Category numbers; -1 is missing.")
      .def(
          "codes",
          [](const FeatureTable& self, std::size_t column) {
            const FeatureColumn& picked = self.columns.at(column);
            std::vector<std::int32_t> codes(self.n_rows);
            for (std::size_t row = 0; row < self.n_rows; ++row) {
              const std::uint32_t code = picked.code(row);
              codes[row] = code == picked.n_codes ? -1 : static_cast<std::int32_t>(code);
            }
            return to_numpy(std::move(codes));
          },
          "column"_a, "The codes of a column; -1 is missing.")
      .def(
          "values",
          [](const FeatureTable& self, std::size_t column) {
            return to_numpy(std::vector<double>(self.columns.at(column).values));
          },
          "column"_a, "The distinct values of a numeric column, ascending.")
      .def_ro("n_rows", &FeatureTable::n_rows);
  nb::class_<FeatureRows>(m, "FeatureRows", "New rows, columns as those of a FeatureTable.")
      .def(nb::init<>())
      .def(
          "add_numeric",
          [](FeatureRows& self, In<double> numbers) {
            require_length(self, numbers.size());
            self.add_numeric(numbers.data(), numbers.size());
          },
          "numbers"_a, "NaN is missing.")
      .def(
          "add_categorical",
          [](FeatureRows& self, Codes codes, std::size_t n_categories) {
            require_length(self, codes.size());
            require_codes(codes, -2, n_categories);
            self.add_categorical(codes.data(), codes.size());
          },
          "codes"_a, "n_categories"_a, "Category numbers; -1 is missing, -2 unseen in training.")
      .def_ro("n_rows", &FeatureRows::n_rows);
}

void bind_tree(nb::module_& m) {
  nb::class_<Tree> tree(m, "Tree", "A grown tree.");
  bind_answers<FeatureTable>(tree);
  bind_answers<FeatureRows>(tree);
  tree.def(
      "add_out_of_bag",
      [](const Tree& self, const FeatureTable& rows, const std::vector<std::string>& shrinkages, Layers out,
         Tally n_trees) {
        require_same_columns(self, rows.columns.size());
        require(rows.n_rows == self.sample.n_rows, "rows must be those of training");
        const auto n_classes = static_cast<std::size_t>(self.n_classes);
        const Votes votes = votes_of(rows, n_classes, shrinkages, out, n_trees);
        nb::gil_scoped_release released;
        add_out_of_bag(self, rows, sample_rows(self.sample), votes, StoppableCall(nullptr).watch());
      },
      "rows"_a, "shrinkages"_a, "out"_a, "n_trees"_a,
      "Adds the class shares of out-of-bag rows, and counts them.");
  tree.def(
      "shrunk",
      [](const Tree& self, const std::string& name) {
        const Shrinkage shrinkage = shrinkage_of(name);
        Tree shrunk = self;
        shrunk.shares.clear();
        if (shrinkage != Shrinkage::none) shrunk.shares = shrunk_shares(self, shrinkage, own_shares(self));
        return shrunk;
      },
      "shrinkage"_a, "The same tree with nodes that answer so.");
  tree.def(
      "out_of_bag_gains",
      [](const Tree& self, const FeatureTable& rows, Codes y, std::optional<In<double>> weights) {
        require_same_columns(self, rows.columns.size());
        require(rows.n_rows == self.sample.n_rows, "rows must be those of training");
        require_labels(rows, y, static_cast<std::size_t>(self.n_classes), weights);
        std::vector<double> out(rows.columns.size());
        {
          nb::gil_scoped_release released;
          out_of_bag_gains(self, rows, y.data(), weights ? weights->data() : nullptr, out.data(),
                           StoppableCall(nullptr).watch());
        }
        return to_numpy(std::move(out));
      },
      "rows"_a, "y"_a, "weights"_a.none(), "Gains on out-of-bag rows less their means, by feature.");
  tree.def(
      "roles", [](const Tree& self) { return to_numpy(sample_rows(self.sample).roles); },
      "Per training row: 0 grown on, 1 orders categories, 2 out of bag.");
  tree.def("arrays", &arrays_of, "All there is to the tree.");
  tree.def_static("from_arrays", &tree_of, "arrays"_a, "The tree of these arrays.");
  tree.def_prop_ro("n_nodes", &Tree::n_nodes);
  tree.def_prop_ro("is_shrunk", [](const Tree& self) { return !self.shares.empty(); });
}

}  // namespace

void bind_forest(nb::module_& m) {
  bind_columns(m);
  bind_tree(m);
  nb::class_<TreeSettings>(m, "TreeSettings", "How a tree is grown.")
      .def(
          "__init__",
          [](TreeSettings* self, const Arrays& named) { new (self) TreeSettings(settings_of(named)); },
          "named"_a);
  m.def(
      "grow_trees",
      [](const FeatureTable& features, Codes y, std::size_t n_classes, std::optional<In<double>> weights,
         const std::vector<TreeSettings>& settings, const std::vector<Key>& keys,
         const std::vector<std::string>& shrinkages, Layers out, Tally n_trees, Stop* stop) {
        require_labels(features, y, n_classes, weights);
        require(settings.size() == keys.size(), "settings and keys must be one a tree");
        for (const TreeSettings& each : settings) {
          require(each.n_grow > 0 && (each.bootstrap || each.n_grow + each.n_order <= features.n_rows),
                  "n_grow and n_order must not exceed the rows");
        }
        std::vector<PhiloxKey> streams;
        for (const auto& [low, high] : keys) streams.push_back({low, high});
        const Target target{y.data(), n_classes, weights ? weights->data() : nullptr};
        const Votes votes = votes_of(features, n_classes, shrinkages, out, n_trees);
        nb::gil_scoped_release released;
        return grow_trees(features, target, settings, streams, votes, StoppableCall(stop).watch());
      },
      "features"_a, "y"_a, "n_classes"_a, "weights"_a.none(), "settings"_a, "keys"_a, "shrinkages"_a, "out"_a,
      "n_trees"_a, "stop"_a.none() = nb::none(),
      "Trees, one for each of the settings and keys, and their out-of-bag votes.");
  m.def(
      "category_positions",
      [](InRows<double> cells) {
        require(cells.shape(1) > 0, "cells must have one column a class");
        return to_numpy(category_positions({cells.data(), cells.data() + cells.size()}, cells.shape(1)));
      },
      "cells"_a, "Positions of categories ordered by class, from one row of class weights each.");
  m.def(
      "split_null",
      [](In<double> children, In<double> classes, const std::string& null) {
        double reciprocals = 0;
        for (std::size_t i = 0; i < children.size(); ++i) reciprocals += 1 / children.data()[i];
        const NodeNull node(classes.data(), classes.size(), null_of(null));
        const auto r = static_cast<double>(children.size());
        return std::make_tuple(node.mean(r), node.variance(r, reciprocals));
      },
      "children"_a, "classes"_a, "null"_a, "Mean and variance of the Gini gain of a split.");
  m.def(
      "searched_law",
      [](double n_values, In<double> classes) {
        const CubeRootLaw law =
            NodeNull(classes.data(), classes.size(), NullModel::moments).searched_law(n_values);
        return std::make_tuple(law.center, law.scale);
      },
      "n_values"_a, "classes"_a, "Center and scale of the cube root of the best cut's gain.");
}

}  // namespace bychance
