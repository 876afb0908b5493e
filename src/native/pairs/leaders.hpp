// The best scores among all that any thread has offered.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <vector>

namespace bychance {

class Leaders {
 public:
  explicit Leaders(std::size_t size) : size_(std::max<std::size_t>(size, 1)) {}

  // The last of the best: what scores less is not among them. -infinity until there are as many.
  double least() const { return least_.load(std::memory_order_relaxed); }

  void offer(const std::vector<double>& scores) {
    const std::lock_guard<std::mutex> held(mutex_);
    for (const double score : scores) {
      if (heap_.size() == size_) {
        if (!(score > heap_.front())) continue;
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        heap_.pop_back();
      }
      heap_.push_back(score);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    if (heap_.size() == size_) least_.store(heap_.front(), std::memory_order_relaxed);
  }

 private:
  std::size_t size_;
  std::vector<double> heap_;  // the least first
  std::mutex mutex_;
  std::atomic<double> least_{-std::numeric_limits<double>::infinity()};
};

}  // namespace bychance
