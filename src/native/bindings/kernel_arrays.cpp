// Statistics for a GPU: arrays with one row of numbers per pair, padded, and the measure from its sums.
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <functional>

#include "bindings/arrays.hpp"
#include "permutations/statistics.hpp"

namespace bychance {
namespace {

using Statistics = std::vector<const Statistic*>;
using ArraysOfKernel = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

const char* kernel_of(const Statistic& statistic) {
  if (dynamic_cast<const LineProduct*>(&statistic)) return "lines";
  if (dynamic_cast<const GroupSums*>(&statistic)) return "groups";
  if (const auto* cells = dynamic_cast<const CellSum*>(&statistic)) {
    const CellFunction function = cells->function;
    return function == CellFunction::gain || function == CellFunction::contingency ? "cells" : "";
  }
  return dynamic_cast<const DistanceProduct*>(&statistic) ? "distances" : "";
}

// All of one kind, of at most `most_n` rows.
template <class T>
std::vector<std::reference_wrapper<const T>> all_of(const Statistics& statistics, std::size_t most_n) {
  std::vector<std::reference_wrapper<const T>> found;
  for (const Statistic* each : statistics) {
    const auto* made = dynamic_cast<const T*>(each);
    require(made && made->n() <= most_n, "statistics must be of this kind, of at most most_n rows");
    found.push_back(*made);
  }
  return found;
}

// Returns one row per record with the numbers that `get` gives, padded with 0.
template <class T, class Record, class Get>
Rows<T> padded(const std::vector<Record>& records, std::size_t width, Get get) {
  Rows<T> rows(records.size(), width);
  for (std::size_t p = 0; p < records.size(); ++p) {
    const auto& values = std::invoke(get, records[p]);
    std::copy(values.begin(), values.end(), rows.row(p));
  }
  return rows;
}

template <class Records, class Size>
std::size_t largest(const Records& records, Size size) {
  std::size_t most = 0;
  for (const auto& record : records) most = std::max(most, size(record));
  return most;
}

// Both lines of each statistic.
auto line_arrays(const Statistics& statistics, std::size_t most_n) {
  const auto made = all_of<LineProduct>(statistics, most_n);
  return std::make_tuple(padded<double>(made, most_n, &LineProduct::x),
                         padded<double>(made, most_n, &LineProduct::y));
}

// The number of groups and 1 if the line is permuted, codes, the line, weights.
auto group_arrays(const Statistics& statistics, std::size_t most_n) {
  const auto made = all_of<GroupSums>(statistics, most_n);
  const auto n_groups = [](const GroupSums& each) { return each.groups.weights.size; };
  const auto sizes = [&](const GroupSums& each) {
    return std::array<std::size_t, 2>{n_groups(each), each.is_line_permuted};
  };
  const auto codes = [](const GroupSums& each) { return each.groups.codes; };
  const auto weights = [](const GroupSums& each) { return each.groups.weights; };
  return std::make_tuple(padded<std::int32_t>(made, 2, sizes), padded<std::int32_t>(made, most_n, codes),
                         padded<double>(made, most_n, &GroupSums::line),
                         padded<double>(made, largest(made, n_groups), weights));
}

// The numbers of rows and columns and 1 for `contingency`, rows sorted by the label of x, labels of y, where
// each label of x starts, column totals.
auto cell_arrays(const Statistics& statistics, std::size_t most_n) {
  const auto made = all_of<CellSum>(statistics, most_n);
  const auto n_rows = [](const CellSum& each) { return each.x.n_labels; };
  const auto n_columns = [](const CellSum& each) { return each.y.n_labels; };
  const auto sizes = [&](const CellSum& each) {
    const bool is_contingency = each.function == CellFunction::contingency;
    return std::array<std::size_t, 3>{n_rows(each), n_columns(each), is_contingency};
  };
  const auto codes = [](const CellSum& each) { return each.y.codes; };
  const auto totals = [](const CellSum& each) { return totals_of(each.y); };
  std::vector<RowsByLabel> by_label;
  for (const CellSum& each : made) by_label.emplace_back(each.x.codes.data, each.n(), each.x.n_labels);
  return std::make_tuple(padded<std::int32_t>(made, 3, sizes),
                         padded<std::int32_t>(by_label, most_n, &RowsByLabel::order),
                         padded<std::int32_t>(made, most_n, codes),
                         padded<std::int32_t>(by_label, largest(made, n_rows) + 1, &RowsByLabel::starts),
                         padded<std::int32_t>(made, largest(made, n_columns), totals));
}

// The order of x, x in that order, its row sums, positions of y, y, its row sums; last, one array with the
// product of both totals of each statistic.
auto distance_arrays(const Statistics& statistics, std::size_t most_n) {
  const auto made = all_of<DistanceProduct>(statistics, most_n);
  const auto x_in_order = [](const DistanceProduct& each) {
    std::vector<double> values;
    for (const std::int32_t row : each.x.ranks) values.push_back(each.x.values[row]);
    return values;
  };
  const auto part = [](DistanceLine const DistanceProduct::* side, auto DistanceLine::* field) {
    return [=](const DistanceProduct& each) { return each.*side.*field; };
  };
  const auto x = &DistanceProduct::x, y = &DistanceProduct::y;
  std::vector<double> totals;
  for (const DistanceProduct& each : made) totals.push_back(each.totals());
  return std::make_tuple(padded<std::int32_t>(made, most_n, part(x, &DistanceLine::ranks)),
                         padded<double>(made, most_n, x_in_order),
                         padded<double>(made, most_n, part(x, &DistanceLine::row_sums)),
                         padded<std::int32_t>(made, most_n, part(y, &DistanceLine::ranks)),
                         padded<double>(made, most_n, part(y, &DistanceLine::values)),
                         padded<double>(made, most_n, part(y, &DistanceLine::row_sums)), std::move(totals));
}

}  // namespace

void bind_kernel_arrays(nb::module_& m) {
  m.def(
      "kernel_of", [](const Statistic& statistic) { return kernel_of(statistic); }, "statistic"_a,
      "Return \"lines\", \"groups\", \"cells\" or \"distances\" if the GPU has a kernel for the statistic, "
      "else \"\".");
  m.def(
      "scratch_bytes",
      [](const Statistic& statistic) -> std::size_t {
        if (const auto* sums = dynamic_cast<const GroupSums*>(&statistic))
          return 8 * sums->groups.weights.size;
        if (const auto* cells = dynamic_cast<const CellSum*>(&statistic)) return 2 * cells->y.n_labels;
        return 0;
      },
      "statistic"_a, "Return the bytes that a draw on a GPU needs beside its permutation.");
  m.def(
      "kernel_arrays",
      [](const Statistics& statistics, std::size_t most_n) -> ArraysOfKernel {
        require(!statistics.empty(), "at least one statistic");
        const std::string kernel = kernel_of(*statistics[0]);
        const nb::object arrays = kernel == "lines"    ? nb::cast(line_arrays(statistics, most_n))
                                  : kernel == "groups" ? nb::cast(group_arrays(statistics, most_n))
                                  : kernel == "cells"  ? nb::cast(cell_arrays(statistics, most_n))
                                                       : nb::cast(distance_arrays(statistics, most_n));
        return nb::borrow<ArraysOfKernel>(arrays);
      },
      "statistics"_a, "most_n"_a,
      "Return the arrays that the GPU kernel of these statistics reads, one row per statistic and array.");
  m.def(
      "finish_sums",
      [](const Statistics& statistics, Grid<double> sums) {
        require(sums.rows == statistics.size(), "one row of sums per statistic");
        for (std::size_t p = 0; p < statistics.size(); ++p) {
          std::transform(sums.row(p), sums.row(p + 1), sums.row(p), statistics[p]->finish());
        }
      },
      "statistics"_a, "sums"_a, without_gil, "Turn the sums of a GPU into values in place, as `draw` does.");
}

}  // namespace bychance
