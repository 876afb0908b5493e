// Ends a call of a kernel early: by a signal, or because another thread says so.
#pragma once

#include <atomic>

#include "bindings/arrays.hpp"
#include "core/watch.hpp"

namespace bychance {

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

}  // namespace bychance
