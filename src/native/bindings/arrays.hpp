// Shared parts of the bindings: array types, checks, options by name, and work without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/held.hpp"
#include "moments/cells.hpp"
#include "moments/lines.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bychance {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InRows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using OutRows = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
// Arrays that are written to.
template <class T>
using Total = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using TotalRows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Key = std::tuple<std::uint64_t, std::uint64_t>;

template <class T>
Out<T> to_numpy(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

template <class T>
OutRows<T> to_rows(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return OutRows<T>(owned->data(), {rows, columns}, owner);
}

// One row per record, of its numbers.
template <class T = double, class Record>
OutRows<T> to_rows(std::vector<Record>&& records) {
  auto* owned = new std::vector<Record>(std::move(records));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Record>*>(p); });
  return OutRows<T>(reinterpret_cast<T*>(owned->data()), {owned->size(), sizeof(Record) / sizeof(T)}, owner);
}

inline void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

// Numbers from `least`, which may be negative, to below the bound.
template <class T>
void require_below(const In<T>& values, std::size_t bound, const char* rule, std::int64_t least = 0) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto value = static_cast<std::int64_t>(values.data()[k]);
    require(value >= least && value < static_cast<std::int64_t>(bound), rule);
  }
}

// Runs `work` without the GIL and returns its result.
template <class Work>
auto released(Work work) {
  nb::gil_scoped_release release;
  return work();
}

// An enum as its number.
template <class T>
using Stored = typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>, std::decay<T>>::type;

// One field of many records.
template <class Record, class T>
Out<Stored<T>> field_of(const std::vector<Record>& records, T Record::* field) {
  std::vector<Stored<T>> values;
  values.reserve(records.size());
  for (const Record& record : records) values.push_back(static_cast<Stored<T>>(record.*field));
  return to_numpy(std::move(values));
}

template <class Value>
struct Named {
  const char* name;
  Value value;
};

template <class Options>
auto named(const Options& options, const std::string& name, const char* rule) {
  for (const auto& option : options) {
    if (name == option.name) return option.value;
  }
  throw std::invalid_argument(rule);
}

inline constexpr Named<CellFunction> kCellFunctions[] = {{"gain", CellFunction::gain},
                                                         {"contingency", CellFunction::contingency},
                                                         {"information", CellFunction::information},
                                                         {"together", CellFunction::together},
                                                         {"diagonal", CellFunction::diagonal}};

inline CellFunction cell_function_of(const std::string& name) {
  return named(kCellFunctions, name,
               "function must be 'gain', 'contingency', 'information', 'together' or 'diagonal'");
}

// The array as it is, kept alive by whoever holds it.
template <class Array>
auto held(const Array& values) {
  return Held<std::remove_const_t<typename Array::Scalar>>{values.data(), values.size(),
                                                           std::make_shared<Array>(values)};
}

template <class T>
using Columns = std::vector<In<T>>;

inline MaskedColumns masked(const Columns<double>& values, const Columns<bool>& is_missing) {
  require(values.size() == is_missing.size(), "one mask a column");
  MaskedColumns found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0) found.n_rows = values[0].size();
    require(values[i].size() == found.n_rows && is_missing[i].size() == found.n_rows,
            "columns and masks must be of one length");
    found.columns.push_back({values[i].data(), is_missing[i].data()});
  }
  return found;
}

inline PairIndices pairs_of(const In<std::int64_t>& first, std::size_t n_first,
                            const In<std::int64_t>& second, std::size_t n_second) {
  require(first.size() == second.size(), "one first and one second column a pair");
  require_below(first, n_first, "first must number the columns");
  require_below(second, n_second, "second must number the columns");
  return {first.data(), second.data(), first.size()};
}

void bind_sampling(nb::module_& m);
void bind_mic(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_kernel_arrays(nb::module_& m);
void bind_moments(nb::module_& m);
void bind_traces(nb::module_& m);
void bind_batches(nb::module_& m);
void bind_ordering(nb::module_& m);
void bind_line_block(nb::module_& m);
void bind_distributions(nb::module_& m);
void bind_forest(nb::module_& m);

}  // namespace bychance
