// What a GPU reads of statistics: one row of numbers per pair, padded; and the measure from its sums.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/arrays.hpp"
#include "nulls/ranks.hpp"
#include "nulls/tables.hpp"
#include "nulls/traces.hpp"

namespace bychance {
namespace {

using Statistics = std::vector<const Statistic*>;

const char* kernel_of(const Statistic& statistic) {
  if (dynamic_cast<const LineProduct*>(&statistic)) return "lines";
  if (dynamic_cast<const GroupSums*>(&statistic)) return "groups";
  if (const auto* cells = dynamic_cast<const CellSum*>(&statistic)) {
    const CellFunction function = cells->function();
    return function == CellFunction::gain || function == CellFunction::contingency ? "cells" : "";
  }
  return dynamic_cast<const DistanceProduct*>(&statistic) ? "distances" : "";
}

template <class T>
const T& as(const Statistic* statistic, std::size_t most_n) {
  const auto* made = dynamic_cast<const T*>(statistic);
  require(made && made->n() <= most_n, "statistics must be of this kind, of at most most_n rows");
  return *made;
}

// One row per pair.
template <class T>
class Rows {
 public:
  Rows(std::size_t count, std::size_t width) : count_(count), width_(width), values_(count * width) {}

  void put(std::size_t row, const Held<T>& values) {
    std::copy_n(values.data, values.size, values_.data() + row * width_);
  }
  T& at(std::size_t row, std::size_t column) { return values_[row * width_ + column]; }
  OutRows<T> to_numpy() { return to_rows(std::move(values_), count_, width_); }

 private:
  std::size_t count_, width_;
  std::vector<T> values_;
};

auto line_arrays(const Statistics& statistics, std::size_t most_n) {
  Rows<double> x(statistics.size(), most_n), y(statistics.size(), most_n);
  for (std::size_t p = 0; p < statistics.size(); ++p) {
    const auto& one = as<LineProduct>(statistics[p], most_n);
    x.put(p, one.x());
    y.put(p, one.y());
  }
  return std::make_tuple(x.to_numpy(), y.to_numpy());
}

auto group_arrays(const Statistics& statistics, std::size_t most_n) {
  const std::size_t count = statistics.size();
  std::size_t most_groups = 0;
  for (const Statistic* each : statistics) {
    most_groups = std::max(most_groups, as<GroupSums>(each, most_n).groups().weights.size);
  }
  Rows<std::int32_t> codes(count, most_n), sizes(count, 2);
  Rows<double> lines(count, most_n), weights(count, most_groups);
  for (std::size_t p = 0; p < count; ++p) {
    const auto& one = as<GroupSums>(statistics[p], most_n);
    codes.put(p, one.groups().codes);
    lines.put(p, one.line());
    weights.put(p, one.groups().weights);
    sizes.at(p, 0) = static_cast<std::int32_t>(one.groups().weights.size);
    sizes.at(p, 1) = one.is_line_permuted();
  }
  return std::make_tuple(sizes.to_numpy(), codes.to_numpy(), lines.to_numpy(), weights.to_numpy());
}

auto cell_arrays(const Statistics& statistics, std::size_t most_n) {
  const std::size_t count = statistics.size();
  std::size_t most_rows = 0, most_columns = 0;
  for (const Statistic* each : statistics) {
    const auto& one = as<CellSum>(each, most_n);
    most_rows = std::max(most_rows, one.x().n_labels);
    most_columns = std::max(most_columns, one.y().n_labels);
  }
  Rows<std::int32_t> sizes(count, 3), order(count, most_n), codes(count, most_n);
  Rows<std::int32_t> starts(count, most_rows + 1), columns(count, most_columns);
  for (std::size_t p = 0; p < count; ++p) {
    const auto& one = as<CellSum>(statistics[p], most_n);
    const RowsByLabel rows(one.x());
    const auto totals = totals_of(one.y());
    sizes.at(p, 0) = static_cast<std::int32_t>(one.x().n_labels);
    sizes.at(p, 1) = static_cast<std::int32_t>(one.y().n_labels);
    sizes.at(p, 2) = one.function() == CellFunction::contingency;
    std::copy(rows.order.begin(), rows.order.end(), &order.at(p, 0));
    codes.put(p, one.y().codes);
    std::copy(rows.starts.begin(), rows.starts.end(), &starts.at(p, 0));
    std::copy(totals.begin(), totals.end(), &columns.at(p, 0));
  }
  return std::make_tuple(sizes.to_numpy(), order.to_numpy(), codes.to_numpy(), starts.to_numpy(),
                         columns.to_numpy());
}

auto distance_arrays(const Statistics& statistics, std::size_t most_n) {
  const std::size_t count = statistics.size();
  Rows<std::int32_t> x_order(count, most_n), y_positions(count, most_n);
  Rows<double> x(count, most_n), y(count, most_n), x_rows(count, most_n), y_rows(count, most_n);
  std::vector<double> totals(count);
  for (std::size_t p = 0; p < count; ++p) {
    const auto& one = as<DistanceProduct>(statistics[p], most_n);
    x_order.put(p, one.x().ranks);
    y_positions.put(p, one.y().ranks);
    for (std::size_t k = 0; k < one.n(); ++k) {
      x.at(p, k) = one.x().values[static_cast<std::size_t>(one.x().ranks[k])];
    }
    y.put(p, one.y().values);
    x_rows.put(p, one.x().row_sums);
    y_rows.put(p, one.y().row_sums);
    totals[p] = one.totals();
  }
  return std::make_tuple(x_order.to_numpy(), x.to_numpy(), x_rows.to_numpy(), y_positions.to_numpy(),
                         y.to_numpy(), y_rows.to_numpy(), to_numpy(std::move(totals)));
}

}  // namespace

void bind_kernel_arrays(nb::module_& m) {
  m.def(
      "kernel_of", [](const Statistic& statistic) { return kernel_of(statistic); }, "statistic"_a,
      "The kind of the statistic, \"lines\", \"groups\", \"cells\" or \"distances\", where a GPU has a "
      "kernel for it.");
  m.def(
      "scratch_bytes",
      [](const Statistic& statistic) -> std::size_t {
        if (const auto* sums = dynamic_cast<const GroupSums*>(&statistic))
          return 8 * sums->groups().weights.size;
        if (const auto* cells = dynamic_cast<const CellSum*>(&statistic)) return 2 * cells->y().n_labels;
        return 0;
      },
      "statistic"_a,
      "What a draw on a GPU keeps beside its permutation: a sum per group, a count per column.");
  m.def("line_arrays", &line_arrays, "statistics"_a, "most_n"_a,
        "Of statistics of lines, one row each: both lines.");
  m.def("group_arrays", &group_arrays, "statistics"_a, "most_n"_a,
        "Of statistics of groups, one row each: how many groups and whether the line is permuted, codes, the "
        "line, weights.");
  m.def("cell_arrays", &cell_arrays, "statistics"_a, "most_n"_a,
        "Of statistics of cells, one row each: numbers of rows and columns and whether the function is "
        "'contingency', rows of data by the label of x, labels of y, where each label of x starts, column "
        "totals.");
  m.def("distance_arrays", &distance_arrays, "statistics"_a, "most_n"_a,
        "Of statistics of distances, one row each: the order of x, x in that order, its row sums; positions "
        "of y, y, its row sums; the products of all row sums.");
  m.def(
      "finish_sums",
      [](const Statistics& statistics, nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums) {
        require(sums.shape(0) == statistics.size(), "one row of sums per statistic");
        const std::size_t count = sums.shape(1);
        nb::gil_scoped_release released;
        for (std::size_t p = 0; p < statistics.size(); ++p) {
          double* row = sums.data() + p * count;
          std::transform(row, row + count, row, statistics[p]->finish());
        }
      },
      "statistics"_a, "sums"_a, "Makes values of the sums that a GPU formed, in place, as `draw` does.");
}

}  // namespace bychance
