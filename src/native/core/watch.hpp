// Long work that can be called off: a kernel says how much it has done, and ten times per second it
// asks whether to go on, or at once if a flag says that it is not to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace bychance {

class Watch {
 public:
  // `ask` throws if the work is to end; the kernel passes on what it throws. `is_off` may be null.
  explicit Watch(std::function<void()> ask, const std::atomic<bool>* is_off = nullptr)
      : ask_(std::move(ask)), is_off_(is_off), asked_(Clock::now()) {}

  // A step takes some nanoseconds.
  void done(std::size_t steps) {
    steps_ += steps;
    if (steps_ >= kSteps) look_at_clock();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kSteps = 1 << 16;           // steps between looks at the clock (speed)
  static constexpr std::chrono::milliseconds kPause{100};  // time between questions (taste)

  void look_at_clock() {
    steps_ = 0;
    const Clock::time_point now = Clock::now();
    if (now - asked_ < kPause && !(is_off_ && *is_off_)) return;
    asked_ = now;
    ask_();
  }

  std::function<void()> ask_;
  const std::atomic<bool>* is_off_;
  Clock::time_point asked_;
  std::size_t steps_ = 0;
};

}  // namespace bychance
