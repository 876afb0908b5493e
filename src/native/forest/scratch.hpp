// Memory that is written before it is read: nobody waits for it to be cleared.
#pragma once

#include <cstddef>
#include <memory>

namespace bychance {

template <class T>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::size_t n) { resize(n); }

  void resize(std::size_t n) { values_.reset(new T[n]); }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T* begin() { return values_.get(); }
  T& operator[](std::size_t k) { return values_[k]; }
  const T& operator[](std::size_t k) const { return values_[k]; }

 private:
  std::unique_ptr<T[]> values_;
};

}  // namespace bychance
