// Shared parts of the bindings of a forest: array types, names of settings, and checks.
#pragma once

#include "bindings/arrays.hpp"
#include "forest/grow.hpp"

namespace bychance {

using namespace forest;

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;
using Codes = In<std::int32_t>;
using Layers = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

inline constexpr Named<NullModel> kNulls[] = {{"moments", NullModel::moments},
                                              {"multinomial", NullModel::multinomial}};
inline constexpr Named<Shrinkage> kShrinkages[] = {{"none", Shrinkage::none},
                                                   {"rows", Shrinkage::rows},
                                                   {"chance", Shrinkage::chance},
                                                   {"leaf5", Shrinkage::leaf5},
                                                   {"leaf10", Shrinkage::leaf10}};

inline NullModel null_of(const std::string& name) {
  return named(kNulls, name, "null must be 'moments' or 'multinomial'");
}

inline Shrinkage shrinkage_of(const std::string& name) {
  return named(kShrinkages, name, "unknown shrinkage");
}

inline void require_same_columns(const Tree& tree, std::size_t n_columns) {
  require(tree.order_start.size() == n_columns + 1, "rows must have the columns of the tree");
}

inline Votes votes_of(const FeatureTable& rows, std::size_t n_outputs,
                      const std::vector<std::string>& shrinkages, std::size_t step, const Layers& out,
                      const Total<std::int64_t>& n_trees) {
  require(step > 0, "step must be positive");
  Votes votes{{}, step, out.data(), n_trees.data()};
  const std::size_t n_rows = votes.n_rows(rows.n_rows);
  require(out.shape(0) == shrinkages.size() && out.shape(1) == n_rows && out.shape(2) == n_outputs &&
              n_trees.size() == n_rows,
          "out must have one layer a shrinkage, one row a row with votes and one column a class");
  for (const std::string& name : shrinkages) votes.layers.push_back(shrinkage_of(name));
  return votes;
}

void bind_forest_columns(nb::module_& m);
void bind_forest_tree(nb::module_& m);

}  // namespace bychance
