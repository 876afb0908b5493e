// Array types of the bindings, checks, options by name, and calls that end early. Kernels have arrays and
// scalars in and out, so that only bindings know Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/detail/nb_list.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/shared_array.hpp"
#include "core/watch.hpp"
#include "moments/cells.hpp"
#include "moments/lines.hpp"
#include "moments/trace_moments.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bychance {

template <class T, std::size_t N>
using Array = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// A one-dimensional array of the caller, during the call.
template <class T>
struct Span {
  Span() = default;
  Span(T* first, std::size_t count) : data(first), size(count) {}
  explicit Span(const Array<T, 1>& array) : Span(array.data(), array.size()) {}

  T& operator[](std::size_t k) const { return data[k]; }
  T* begin() const { return data; }
  T* end() const { return data + size; }

  T* data;
  std::size_t size;
};

// A two-dimensional array of the caller, during the call.
template <class T>
struct Grid {
  Grid() = default;
  explicit Grid(const Array<T, 2>& array)
      : data(array.data()), rows(array.shape(0)), columns(array.shape(1)) {}

  T* row(std::size_t k) const { return data + k * columns; }

  T* data;
  std::size_t rows, columns;
};

template <class T>
using In = Span<const T>;
template <class T>
using InRows = Grid<const T>;
template <class T>
using Columns = std::vector<Array<const T, 1>>;

// A two-dimensional array to return.
template <class T>
struct Rows {
  Rows() = default;
  Rows(std::size_t n_rows, std::size_t n_columns)
      : Rows(std::vector<T>(n_rows * n_columns), n_rows, n_columns) {}
  template <class Record>
  Rows(std::vector<Record> records, std::size_t n_rows, std::size_t n_columns)
      : rows(n_rows), columns(n_columns) {
    auto made = std::make_shared<std::vector<Record>>(std::move(records));
    data = reinterpret_cast<T*>(made->data());
    owner = std::move(made);
  }

  T* row(std::size_t k) const { return data + k * columns; }

  T* data;
  std::size_t rows, columns;
  std::shared_ptr<void> owner;
};

// One row per record, of its numbers.
template <class T = double, class Record>
Rows<T> rows_of(std::vector<Record>&& records) {
  const std::size_t count = records.size();
  return Rows<T>(std::move(records), count, sizeof(Record) / sizeof(T));
}

// An enum as its number.
template <class T>
using Stored = typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>, std::decay<T>>::type;

// One field of many records.
template <class Record, class T>
std::vector<Stored<T>> field_of(const std::vector<Record>& records, T Record::* field) {
  std::vector<Stored<T>> values;
  values.reserve(records.size());
  for (const Record& record : records) values.push_back(static_cast<Stored<T>>(record.*field));
  return values;
}

template <class... T>
auto moved(T&... values) {
  return std::make_tuple(std::move(values)...);
}

// For functions that run without the GIL. Their results become arrays with it.
constexpr nb::call_guard<nb::gil_scoped_release> without_gil;

inline void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

// Numbers from `least`, which may be negative, to below the bound.
template <class T>
void require_below(const T& values, std::size_t bound, const char* rule, std::int64_t least = 0) {
  for (const auto value : values) {
    require(value >= least && value < static_cast<std::int64_t>(bound), rule);
  }
}

template <class Value>
struct Named {
  const char* name;
  Value value;
};

// The values of an option by name: an array for each type of options.
template <class Option>
inline constexpr std::nullptr_t kNames = nullptr;

template <>
inline constexpr Named<CellFunction> kNames<CellFunction>[] = {{"gain", CellFunction::gain},
                                                               {"contingency", CellFunction::contingency},
                                                               {"information", CellFunction::information},
                                                               {"together", CellFunction::together},
                                                               {"diagonal", CellFunction::diagonal}};

template <class Option>
Option option_of(const std::string& name) {
  std::string names;
  for (const auto& option : kNames<Option>) {
    if (name == option.name) return option.value;
    names += std::string(names.empty() ? "" : ", ") + option.name;
  }
  throw std::invalid_argument("expected one of " + names + ", got " + name);
}

// An option that Python gives by its name.
template <class Option>
struct Choice {
  operator Option() const { return value; }
  Option value;
};

// The array as it is, kept alive by whoever holds it.
template <class Kept>
auto held(const Kept& values) {
  return SharedArray<std::remove_const_t<typename Kept::Scalar>>{values.data(), values.size(),
                                                                 std::make_shared<Kept>(values)};
}

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
  require(first.size == second.size, "one first and one second column a pair");
  require_below(first, n_first, "first must number the columns");
  require_below(second, n_second, "second must number the columns");
  return {first.data, second.data, first.size};
}

// Binds find(columns, pairs, option), which has an option if there is a name of it.
template <class... Option, class Find, class... Name>
void bind_masked_pairs(nb::module_& m, const char* name, Find find, const char* doc, Name... option_name) {
  m.def(
      name,
      [find](const Columns<double>& values, const Columns<bool>& is_missing, In<std::int64_t> first,
             In<std::int64_t> second, Option... option) {
        return find(masked(values, is_missing), pairs_of(first, values.size(), second, values.size()),
                    option...);
      },
      "values"_a, "is_missing"_a, "first"_a, "second"_a, option_name..., without_gil, doc);
}

// Both sides of pairs come from rows of invariants: one row per matrix, whatever pairs it is in.
inline Span<const Invariants> invariants_of(const InRows<double>& rows) {
  require(rows.columns == kInvariants, "eight invariants a variable");
  return {reinterpret_cast<const Invariants*>(rows.data), rows.rows};
}

inline std::vector<double> values_of(const Invariants& a) {
  return {a.T, a.T2, a.T3, a.S2, a.S3, a.B1, a.R, a.U};
}

template <class Side>
std::vector<Side> sides_of(const InRows<double>& rows) {
  const Span<const Invariants> invariants = invariants_of(rows);
  return {invariants.begin(), invariants.end()};
}

// Calls use(k, a, b) with both sides of each pair; they are made once if most are in several pairs.
template <class Side, class Use>
void over_sides(const InRows<double>& x, const InRows<double>& y, const PairIndices& pairs, Use use) {
  if (x.rows + y.rows > pairs.count) {
    const Span<const Invariants> first = invariants_of(x), second = invariants_of(y);
    for (std::size_t k = 0; k < pairs.count; ++k) {
      use(k, Side(first[pairs.first[k]]), Side(second[pairs.second[k]]));
    }
    return;
  }
  const auto a = sides_of<Side>(x), b = sides_of<Side>(y);
  for (std::size_t k = 0; k < pairs.count; ++k) {
    use(k, a[pairs.first[k]], b[pairs.second[k]]);
  }
}

// Set by one thread to end the calls of others.
struct Stop {
  std::atomic<bool> is_set{false};
};

// Ends a call if `stop`, which may be null, is set, or by a signal. Only the main thread sees those: other
// threads need the stop.
inline Watch watch_for(const Stop* stop = nullptr) {
  const auto check = [stop] {
    if (stop && stop->is_set) throw std::runtime_error("stopped by another thread");
    nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  return Watch(check, stop ? &stop->is_set : nullptr);
}

void bind_distributions(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_kernel_arrays(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_mic(nb::module_& m);
void bind_moments(nb::module_& m);
void bind_p_values(nb::module_& m);
void bind_sampling(nb::module_& m);

}  // namespace bychance

namespace nanobind::detail {

// The caster owns the array. An array that is written to is never converted: a copy would be lost.
template <class View, class T, std::size_t N>
struct view_caster {
  using Source = make_caster<bychance::Array<T, N>>;
  NB_TYPE_CASTER(View, Source::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) {
    if (!std::is_const_v<T>) flags &= ~static_cast<std::uint32_t>(cast_flags::convert);
    if (!array.from_python(source, flags, cleanup)) return false;
    value = View(array.value);
    return true;
  }

  Source array;
};

template <class T>
struct type_caster<bychance::Span<T>> : view_caster<bychance::Span<T>, T, 1> {};
template <class T>
struct type_caster<bychance::Grid<T>> : view_caster<bychance::Grid<T>, T, 2> {};

template <class T>
struct type_caster<bychance::SharedArray<T>> {
  using Source = make_caster<bychance::Array<const T, 1>>;
  NB_TYPE_CASTER(bychance::SharedArray<T>, Source::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) {
    Source array;
    if (!array.from_python(source, flags, cleanup)) return false;
    value = bychance::held(array.value);
    return true;
  }
};

template <class T>
struct type_caster<bychance::Rows<T>> {
  using Target = ndarray<numpy, T, ndim<2>>;
  NB_TYPE_CASTER(bychance::Rows<T>, make_caster<Target>::Name)

  static handle from_cpp(const bychance::Rows<T>& rows, rv_policy, cleanup_list* cleanup) {
    using Owner = std::shared_ptr<void>;
    const capsule owner(new Owner(rows.owner), [](void* p) noexcept { delete static_cast<Owner*>(p); });
    return make_caster<Target>::from_cpp(Target(rows.data, {rows.rows, rows.columns}, owner),
                                         rv_policy::automatic, cleanup);
  }
};

// A vector of numbers is an array, any other a list.
template <class T>
struct type_caster<std::vector<T>, enable_if_t<std::is_arithmetic_v<T>>> {
  using Target = ndarray<numpy, T, ndim<1>>;
  NB_TYPE_CASTER(std::vector<T>, make_caster<Target>::Name)

  template <class Vector>
  static handle from_cpp(Vector&& values, rv_policy, cleanup_list* cleanup) {
    auto* owned = new std::vector<T>(std::forward<Vector>(values));
    const capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return make_caster<Target>::from_cpp(Target(owned->data(), {owned->size()}, owner), rv_policy::automatic,
                                         cleanup);
  }
};

template <class T>
struct type_caster<std::vector<T>, enable_if_t<!std::is_arithmetic_v<T>>> : list_caster<std::vector<T>, T> {};

template <class Option>
struct type_caster<bychance::Choice<Option>> {
  NB_TYPE_CASTER(bychance::Choice<Option>, make_caster<std::string>::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) {
    make_caster<std::string> name;
    if (!name.from_python(source, flags, cleanup)) return false;
    value = {bychance::option_of<Option>(name.value)};
    return true;
  }
};

}  // namespace nanobind::detail
