// Shared parts of the bindings: array types, checks, options by name, work without the GIL, and calls that
// end early. Kernels have arrays and scalars in and out, so that only bindings know Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
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
std::vector<T> copied(const In<T>& values) {
  return {values.data(), values.data() + values.size()};
}

template <class T>
nb::capsule owner_of(std::vector<T>* values) {
  return nb::capsule(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
}

template <class T>
Out<T> to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  return Out<T>(owned->data(), {owned->size()}, owner_of(owned));
}

template <class T>
OutRows<T> to_rows(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
  auto* owned = new std::vector<T>(std::move(values));
  return OutRows<T>(owned->data(), {rows, columns}, owner_of(owned));
}

// One row per record, of its numbers.
template <class T = double, class Record>
OutRows<T> to_rows(std::vector<Record>&& records) {
  auto* owned = new std::vector<Record>(std::move(records));
  constexpr std::size_t kColumns = sizeof(Record) / sizeof(T);
  return OutRows<T>(reinterpret_cast<T*>(owned->data()), {owned->size(), kColumns}, owner_of(owned));
}

// An array per vector, whose values are moved out.
template <class... T>
auto to_tuple(std::vector<T>&... values) {
  return std::make_tuple(to_numpy(std::move(values))...);
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

// An array that `fill(data)` writes without the GIL.
template <class T, class Fill>
Out<T> filled(std::size_t size, Fill fill) {
  std::vector<T> values(size);
  released([&] { fill(values.data()); });
  return to_numpy(std::move(values));
}

template <class T, class Fill>
OutRows<T> filled_rows(std::size_t rows, std::size_t columns, Fill fill) {
  std::vector<T> values(rows * columns);
  released([&] { fill(values.data()); });
  return to_rows(std::move(values), rows, columns);
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
  return SharedArray<std::remove_const_t<typename Array::Scalar>>{values.data(), values.size(),
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

struct MaskedPairs {
  MaskedColumns all;
  PairIndices pairs;
};

inline MaskedPairs masked_pairs(const Columns<double>& values, const Columns<bool>& is_missing,
                                const In<std::int64_t>& first, const In<std::int64_t>& second) {
  return {masked(values, is_missing), pairs_of(first, values.size(), second, values.size())};
}

// Both sides of pairs come from rows of invariants: one row per matrix, whatever pairs it is in.
inline const Invariants* invariants_of(const InRows<double>& rows) {
  require(rows.shape(1) == kInvariants, "eight invariants a variable");
  return reinterpret_cast<const Invariants*>(rows.data());
}

inline Out<double> to_numpy(const Invariants& a) {
  return to_numpy(std::vector<double>{a.T, a.T2, a.T3, a.S2, a.S3, a.B1, a.R, a.U});
}

template <class Side>
std::vector<Side> sides_of(const InRows<double>& rows) {
  const Invariants* invariants = invariants_of(rows);
  return {invariants, invariants + rows.shape(0)};
}

// Calls use(k, a, b) with both sides of each pair; they are made once if most are in several pairs.
template <class Side, class Use>
void over_sides(const InRows<double>& x, const InRows<double>& y, const PairIndices& pairs, Use use) {
  if (x.shape(0) + y.shape(0) > pairs.count) {
    const Invariants *first = invariants_of(x), *second = invariants_of(y);
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

// Set by one thread to end the calls of others, which it may then wait for.
struct Stop {
  std::atomic<bool> is_set{false};
  std::atomic<int> n_at_work{0};
};

// A call that heeds `stop`, which may be null, and signals. Only the main thread sees those: other threads
// need the stop.
class StoppableCall {
 public:
  explicit StoppableCall(Stop* stop)
      : watch_([stop] { check(stop); }, stop ? &stop->is_set : nullptr), stop_(stop) {
    if (stop_) ++stop_->n_at_work;
  }
  ~StoppableCall() {
    if (stop_) --stop_->n_at_work;
  }
  StoppableCall(const StoppableCall&) = delete;
  StoppableCall& operator=(const StoppableCall&) = delete;

  Watch& watch() { return watch_; }

 private:
  static void check(const Stop* stop) {
    if (stop && stop->is_set) throw std::runtime_error("stopped by another thread");
    nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  Watch watch_;
  Stop* stop_;
};

void bind_distributions(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_kernel_arrays(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_mic(nb::module_& m);
void bind_moments(nb::module_& m);
void bind_p_values(nb::module_& m);
void bind_sampling(nb::module_& m);

}  // namespace bychance
