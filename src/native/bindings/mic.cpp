// MIC for Python: prepared variables are opaque, everything else arrays and scalars.
#include "mic/mic.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "bindings/arrays.hpp"
#include "mic/statistic.hpp"

namespace bychance {

template <>
inline constexpr Named<MicKind> kNames<MicKind>[] = {
    {"mic", MicKind::mic}, {"mic_e", MicKind::mic_e}, {"tic_e", MicKind::tic_e}};

namespace {

using Variable = std::shared_ptr<MicVariable>;

void bind_variable(nb::module_& m) {
  nb::class_<MicVariable>(m, "MicVariable", "A numeric variable prepared for MIC, MIC_e or TIC_e.")
      .def(
          "__init__",
          [](MicVariable* self, In<double> values, double exponent, double clumps, Choice<MicKind> kind) {
            new (self) MicVariable(values.data, values.size, {exponent, clumps, kind});
          },
          "values"_a, "exponent"_a = 0.6, "clumps"_a = 15.0, "kind"_a = "mic", without_gil)
      .def_ro("n", &MicVariable::n)
      .def_ro("budget", &MicVariable::budget, "Largest number of cells of a grid.")
      .def_prop_ro("n_groups", [](const MicVariable& v) { return v.group_starts.size() - 1; })
      .def_ro("order", &MicVariable::order)
      .def_prop_ro(
          "tie_groups",
          [](const MicVariable& v) {
            std::vector<std::int64_t> sizes(v.group_starts.size() - 1);
            for (std::size_t g = 0; g < sizes.size(); ++g) {
              sizes[g] = v.group_starts[g + 1] - v.group_starts[g];
            }
            return sizes;
          },
          "Number of rows of each value, in ascending order.");
}

auto mic_pairs(const MaskedColumns& all, const PairIndices& pairs, const MicVariable& like) {
  std::vector<Variable> x(pairs.count), y(pairs.count);
  std::vector<double> observed(pairs.count), a(all.n_rows), b(all.n_rows);
  for (std::size_t p = 0; p < pairs.count; ++p) {
    const std::size_t n = gather_shared(all.columns[pairs.first[p]], all.columns[pairs.second[p]], all.n_rows,
                                        a.data(), b.data());
    x[p] = std::make_shared<MicVariable>(a.data(), n, like.settings);
    y[p] = std::make_shared<MicVariable>(b.data(), n, like.settings);
    observed[p] = mic(*x[p], *y[p], workspace_of_thread());
  }
  return moved(x, y, observed);
}

// Cuts become a label per position, tie groups a bit where each starts.
auto mic_layout(const std::vector<Variable>& variables, std::size_t most_n) {
  require(!variables.empty(), "at least one variable");
  const std::size_t count = variables.size(), n_parts = variables[0]->partitions.size();
  const std::size_t n_words = (most_n + 31) / 32;
  for (const Variable& each : variables) {
    require(
        each->partitions.size() == n_parts && static_cast<std::size_t>(each->n) <= most_n && n_parts < 256,
        "variables must be of one budget, below 514, and of at most most_n rows");
  }
  Rows<std::uint8_t> labels(count, n_parts * most_n);
  Rows<std::uint32_t> ties(count, n_words);
  std::vector<std::int32_t> parts;
  std::vector<double> entropy;
  for (std::size_t number = 0; number < count; ++number) {
    const MicVariable& variable = *variables[number];
    for (std::size_t g = 0; g + 1 < variable.group_starts.size(); ++g) {
      const auto start = static_cast<std::uint32_t>(variable.group_starts[g]);
      ties.row(number)[start / 32] |= 1u << start % 32;
    }
    for (const MicPartition& part : variable.partitions) {
      const std::int32_t* cuts = &variable.cuts[part.first_cut];
      std::uint8_t* own = labels.data + parts.size() * most_n;
      for (std::int32_t r = 0; r < part.rows; ++r) {
        std::fill(own + cuts[r], own + cuts[r + 1], static_cast<std::uint8_t>(r));
      }
      parts.push_back(part.rows | (part.same_as + 1) << 16);
      entropy.push_back(part.entropy);
    }
  }
  return std::make_tuple(std::move(labels), std::move(ties),
                         Rows<std::int32_t>(std::move(parts), count, n_parts),
                         Rows<double>(std::move(entropy), count, n_parts));
}

}  // namespace

void bind_mic(nb::module_& m) {
  bind_variable(m);
  m.def(
      "mic", [](const MicVariable& x, const MicVariable& y) { return mic(x, y, workspace_of_thread()); },
      "x"_a, "y"_a, without_gil, "Compute the statistic of the observed rows.");
  m.def(
      "mic_grid",
      [](const MicVariable& x, const MicVariable& y) {
        MicGrid grid = mic_grid(x, y, workspace_of_thread());
        const auto side = static_cast<std::size_t>(grid.largest - 1);
        const std::size_t y_bins = grid.y_cuts.size() + 1, x_bins = grid.x_cuts.size() + 1;
        return std::make_tuple(grid.value, Rows<double>(std::move(grid.characteristic), side, side),
                               grid.y_equipartitioned, std::move(grid.x_cuts), std::move(grid.y_cuts),
                               Rows<std::int64_t>(std::move(grid.counts), y_bins, x_bins));
      },
      "x"_a, "y"_a, without_gil,
      "Return the largest cell of the characteristic matrix, the matrix, True if y is equipartitioned, and "
      "the cuts of x and y and the counts of its grid.");
  m.def(
      "mic_cost",
      [](std::size_t n, double exponent, double clumps, Choice<MicKind> kind) {
        const MicCost cost = mic_cost(n, {exponent, clumps, kind});
        return std::make_tuple(cost.operations, cost.variable_bytes, cost.workspace_bytes);
      },
      "n"_a, "exponent"_a = 0.6, "clumps"_a = 15.0, "kind"_a = "mic",
      "Estimate operations, bytes of a variable and bytes of a workspace for n rows.");
  bind_masked_pairs<const MicVariable&>(
      m, "mic_pairs", &mic_pairs,
      "Prepare both variables of each pair on its shared rows, with the settings of `like`, and compute "
      "the statistic.",
      "like"_a);
  m.def("mic_layout", &mic_layout, "variables"_a, "most_n"_a, without_gil,
        "Lay out variables of one budget for the GPU. Per partition: the row of each sorted position, the "
        "number of rows (shifted by 16 bits, 1 + the earlier partition with the same cuts) and the entropy. "
        "Per variable: where tie groups start, 32 positions per word.");
}

}  // namespace bychance
