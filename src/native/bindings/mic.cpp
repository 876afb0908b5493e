// MIC for Python: a prepared variable is opaque, everything else arrays and scalars.
#include "mic/mic.hpp"

#include "bindings/arrays.hpp"
#include "mic/statistic.hpp"

namespace bychance {
namespace {

MicKind kind_of(const std::string& name) {
  if (name == "mic") return MicKind::mic;
  if (name == "mic_e") return MicKind::mic_e;
  require(name == "tic_e", "kind must be 'mic', 'mic_e' or 'tic_e'");
  return MicKind::tic_e;
}

nb::typed<nb::dict, nb::str, nb::any> grid_dict(MicGrid&& grid) {
  const auto side = static_cast<std::size_t>(grid.largest - 1);
  const std::size_t y_bins = grid.y_cuts.size() + 1, x_bins = grid.x_cuts.size() + 1;
  nb::typed<nb::dict, nb::str, nb::any> out;
  out["value"] = grid.value;
  out["characteristic"] = to_rows(std::move(grid.characteristic), side, side);
  out["y_equipartitioned"] = grid.y_equipartitioned;
  out["x_cuts"] = to_numpy(std::move(grid.x_cuts));
  out["y_cuts"] = to_numpy(std::move(grid.y_cuts));
  out["counts"] = to_rows(std::move(grid.counts), y_bins, x_bins);
  return out;
}

}  // namespace

void bind_mic(nb::module_& m) {
  nb::class_<MicVariable>(m, "MicVariable", "A numeric variable made ready for MIC, MIC_e or TIC_e.")
      .def(
          "__init__",
          [](MicVariable* self, In<double> values, double exponent, double clumps, const std::string& kind) {
            const MicSettings settings{exponent, clumps, kind_of(kind)};
            nb::gil_scoped_release released;
            new (self) MicVariable(values.data(), values.size(), settings);
          },
          "values"_a, "exponent"_a = 0.6, "clumps"_a = 15.0, "kind"_a = "mic")
      .def_prop_ro("n", [](const MicVariable& v) { return v.n; })
      .def_prop_ro(
          "budget", [](const MicVariable& v) { return v.budget; }, "How many cells a grid may have.")
      .def_prop_ro("n_groups", [](const MicVariable& v) { return v.group_starts.size() - 1; })
      .def_prop_ro(
          "order", [](const MicVariable& v) { return to_numpy(std::vector<std::int32_t>(v.order)); },
          nb::rv_policy::move)
      .def_prop_ro(
          "tie_groups",
          [](const MicVariable& v) {
            std::vector<std::int64_t> sizes(v.group_starts.size() - 1);
            for (std::size_t g = 0; g < sizes.size(); ++g)
              sizes[g] = v.group_starts[g + 1] - v.group_starts[g];
            return to_numpy(std::move(sizes));
          },
          nb::rv_policy::move, "How many rows have each value, from the smallest.");
  m.def(
      "mic",
      [](const MicVariable& x, const MicVariable& y, bool plain) {
        nb::gil_scoped_release released;
        return mic(x, y, workspace_of_thread(plain));
      },
      "x"_a, "y"_a, "plain"_a = false, "The statistic for the pairing as it is; `plain` never uses AVX2.");
  m.def(
      "mic_grid",
      [](const MicVariable& x, const MicVariable& y) {
        MicGrid grid;
        {
          nb::gil_scoped_release released;
          grid = mic_grid(x, y, workspace_of_thread(false));
        }
        return grid_dict(std::move(grid));
      },
      "x"_a, "y"_a, "The characteristic matrix and the grid behind its largest cell.");
  m.def(
      "mic_cost",
      [](std::size_t n, double exponent, double clumps, const std::string& kind) {
        const MicCost cost = mic_cost(n, {exponent, clumps, kind_of(kind)});
        return std::make_tuple(cost.operations, cost.variable_bytes, cost.workspace_bytes);
      },
      "n"_a, "exponent"_a = 0.6, "clumps"_a = 15.0, "kind"_a = "mic",
      "Operations, bytes of a variable and bytes of a workspace that n rows would take.");
  m.def("mic_uses_avx2", &mic_has_avx2, "Whether AVX2 is compiled in and this processor has it.");
}

}  // namespace bychance
