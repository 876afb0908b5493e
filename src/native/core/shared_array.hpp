// An array that its owner keeps alive for every user of it.
#pragma once

#include <cstddef>
#include <memory>

namespace bychance {

template <class T>
struct SharedArray {
  const T* data = nullptr;
  std::size_t size = 0;
  std::shared_ptr<const void> owner;

  const T& operator[](std::size_t k) const { return data[k]; }
  const T* begin() const { return data; }
  const T* end() const { return data + size; }
};

}  // namespace bychance
