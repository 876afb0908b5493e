// Very many values in chunks, each by its own thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace bychance {

// work(begin, end) → a result per chunk, in the order of the chunks; few values are one chunk.
template <class Work>
auto in_chunks(std::size_t n, std::size_t n_threads, Work work) {
  constexpr std::size_t kFew = std::size_t{1} << 16;
  const std::size_t count = std::clamp<std::size_t>(n / kFew, 1, std::max<std::size_t>(n_threads, 1));
  std::vector<decltype(work(n, n))> results(count);
  std::vector<std::exception_ptr> errors(count);
  const auto run = [&](std::size_t c) {
    try {
      results[c] = work(n / count * c, c + 1 == count ? n : n / count * (c + 1));
    } catch (...) {
      errors[c] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  std::size_t n_begun = 1;
  try {
    for (; n_begun < count; ++n_begun) threads.emplace_back(run, n_begun);
  } catch (const std::system_error&) {  // the system has no more threads: this one does the rest
  }
  run(0);
  for (; n_begun < count; ++n_begun) run(n_begun);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return results;
}

}  // namespace bychance
