// Grown trees: what they answer, and all there is to them as arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/forest.hpp"
#include "bindings/stop.hpp"
#include "forest/importance.hpp"

namespace bychance {
namespace {

constexpr Named<SplitKind> kSplitKinds[] = {
    {"threshold", SplitKind::threshold}, {"multiway", SplitKind::multiway}, {"ordered", SplitKind::ordered}};

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
      tree, [&](const char* name, auto values) { out[name] = to_numpy(std::move(values)); },
      [&](const char* name, auto field) { out[name] = field_of(tree.splits, field); });
  const Sample& sample = tree.sample;
  out["sample"] = to_numpy(std::vector<std::uint64_t>{static_cast<std::uint64_t>(tree.n_classes),
                                                      sample.n_rows, sample.n_grow, sample.n_order,
                                                      sample.bootstrap, sample.key.low, sample.key.high});
  return out;
}

template <class T>
std::vector<T> vector_of(const Arrays& arrays, const char* name) {
  const auto values = nb::cast<In<T>>(arrays[name]);
  return {values.data(), values.data() + values.size()};
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

}  // namespace

void bind_forest_tree(nb::module_& m) {
  nb::class_<Tree> tree(m, "Tree", "A grown tree.");
  m.def(
      "add_answers",
      [](const std::vector<const Tree*>& trees, const FeatureRows& rows, TotalRows<double> out) {
        for (const Tree* each : trees) {
          require_same_columns(*each, rows.n_columns());
          require(out.shape(0) == rows.n_rows && out.shape(1) == each->n_outputs(),
                  "out must have one row a row and one column a class");
        }
        released([&] { add_answers(trees, rows, out.data(), StoppableCall(nullptr).watch()); });
      },
      "trees"_a, "rows"_a, "out"_a, "Add the class shares, or the mean, of each row's leaf in each tree.");
  tree.def(
      "apply",
      [](const Tree& self, const FeatureRows& rows) {
        require_same_columns(self, rows.n_columns());
        std::vector<std::int32_t> nodes(rows.n_rows);
        released([&] {
          for (std::size_t row = 0; row < rows.n_rows; ++row) {
            nodes[row] = static_cast<std::int32_t>(end_of(self, rows, row));
          }
        });
        return to_numpy(std::move(nodes));
      },
      "rows"_a, "Return the node in which each row ends.");
  tree.def(
      "add_out_of_bag",
      [](const Tree& self, const FeatureTable& rows, const std::vector<std::string>& shrinkages,
         std::size_t step, Layers out, Total<std::int64_t> n_trees) {
        require_same_columns(self, rows.columns.size());
        require(rows.n_rows == self.sample.n_rows, "rows must be those of training");
        const Votes votes = votes_of(rows, self.n_outputs(), shrinkages, step, out, n_trees);
        released([&] {
          add_out_of_bag(self, sample_rows(self.sample), rows, votes, StoppableCall(nullptr).watch());
        });
      },
      "rows"_a, "shrinkages"_a, "step"_a, "out"_a, "n_trees"_a,
      "Add the answers for out-of-bag rows, and count them.");
  tree.def("copy", [](const Tree& self) { return self; });
  tree.def(
      "shrink",
      [](Tree& self, const std::string& name) {
        const Shrinkage shrinkage = shrinkage_of(name);
        released([&] { shrink(self, shrinkage); });
      },
      "shrinkage"_a, "Shrink the answers of the nodes.");
  tree.def(
      "add_importances",
      [](const Tree& self, const FeatureTable& rows, const Target& target, Total<double> importance,
         TotalRows<double> freedom, TotalRows<double> by_block) {
        require_same_columns(self, rows.columns.size());
        require(rows.n_rows == self.sample.n_rows, "rows must be those of training");
        require(
            target.n_rows() == rows.n_rows && target.n_classes == static_cast<std::size_t>(self.n_classes),
            "the target must be that of training");
        const std::size_t n = rows.columns.size();
        require(importance.size() == n && freedom.shape(0) == 2 && freedom.shape(1) == n &&
                    by_block.shape(0) == n && by_block.shape(1) > 0,
                "importances must have one column a feature, blocks of rows one line");
        const ImportanceSums sums{importance.data(), freedom.data(), freedom.data() + n, by_block.data(),
                                  by_block.shape(1)};
        released([&] { add_importances(self, rows, target, sums, StoppableCall(nullptr).watch()); });
      },
      "rows"_a, "target"_a, "importance"_a, "freedom"_a, "by_block"_a,
      "Add the gains of splits on out-of-bag rows: by feature, with the weight and the degrees of freedom of "
      "the fit, and by block of rows.");
  tree.def(
      "roles", [](const Tree& self) { return to_numpy(sample_rows(self.sample).roles); },
      "Return 0 for training rows grown on, 1 for rows that order categories, 2 for rows out of bag.");
  tree.def("arrays", &arrays_of, "Return the whole tree as flat arrays.");
  tree.def("__getstate__", &arrays_of);
  tree.def("__setstate__", [](Tree& self, const Arrays& arrays) { new (&self) Tree(tree_of(arrays)); });
  tree.def_prop_ro("n_nodes", &Tree::n_nodes);
  tree.def_prop_ro("is_shrunk", [](const Tree& self) { return !self.answers.empty(); });
  m.def(
      "split_kinds",
      [] {
        nb::typed<nb::dict, nb::str, int> out;
        for (const auto& kind : kSplitKinds) out[kind.name] = static_cast<int>(kind.value);
        return out;
      },
      "Return the numbers in a tree's array `kind` by name.");
  m.def(
      "leaf_quantiles",
      [](const std::vector<const Tree*>& trees, const FeatureRows& rows, In<double> sorted,
         In<std::uint32_t> ranks, std::optional<In<double>> weights, const std::vector<double>& levels) {
        require(!weights || weights->size() == ranks.size(), "weights must have one number per row");
        require_below(ranks, sorted.size(), "ranks must be places of numbers");
        for (const Tree* tree : trees) {
          require_same_columns(*tree, rows.n_columns());
          require(tree->is_of_numbers() && tree->sample.n_rows == ranks.size(),
                  "trees must be grown on these numbers");
        }
        RankedNumbers numbers{
            {sorted.data(), sorted.data() + sorted.size()}, {ranks.data(), ranks.data() + ranks.size()}, {}};
        if (weights) numbers.weights.assign(weights->data(), weights->data() + weights->size());
        std::vector<double> out(rows.n_rows * levels.size());
        released([&] {
          leaf_quantiles(trees, rows, numbers, levels, out.data(), StoppableCall(nullptr).watch());
        });
        return to_rows(std::move(out), rows.n_rows, levels.size());
      },
      "trees"_a, "rows"_a, "sorted"_a, "ranks"_a, "weights"_a.none(), "levels"_a,
      "Compute quantiles over the training rows that share leaves with each row.");
}

}  // namespace bychance
