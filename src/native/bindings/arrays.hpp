// What the bindings share: array types, checks, and the release of the GIL around a kernel.
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

#include "nulls/held.hpp"

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

inline void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

template <class T>
void require_below(const In<T>& values, std::size_t bound, const char* rule) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    require(values.data()[k] >= 0 && static_cast<std::size_t>(values.data()[k]) < bound, rule);
  }
}

// The array as it is, kept alive by whoever holds it.
template <class Array>
auto held(const Array& values) {
  return Held<std::remove_const_t<typename Array::Scalar>>{values.data(), values.size(),
                                                           std::make_shared<Array>(values)};
}

void bind_sampling(nb::module_& m);
void bind_mic(nb::module_& m);
void bind_mic_pairs(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_kernel_arrays(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_bends(nb::module_& m);
void bind_text(nb::module_& m);
void bind_batches(nb::module_& m);
void bind_ordering(nb::module_& m);
void bind_laws(nb::module_& m);
void bind_line_block(nb::module_& m);
void bind_matching(nb::module_& m);
void bind_forest(nb::module_& m);

}  // namespace bychance
