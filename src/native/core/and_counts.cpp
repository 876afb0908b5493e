// One version per instruction set, chosen when first called.
#include "core/and_counts.hpp"

#if !defined(BYCHANCE_NO_DISPATCH) && defined(__x86_64__) && defined(__GNUC__)
#define BYCHANCE_POPCNT 1
#endif

namespace bychance {
namespace {

#if defined(__GNUC__)
#define BYCHANCE_BITS_OF(word) __builtin_popcountll(word)
#else
int bits_of(std::uint64_t v) {
  v -= (v >> 1) & 0x5555555555555555u;
  v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>((v * 0x0101010101010101u) >> 56);
}
#define BYCHANCE_BITS_OF(word) bits_of(word)
#endif

#define BYCHANCE_AND_COUNT(name)                                                           \
  std::int64_t name(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words) { \
    std::int64_t total = 0;                                                                \
    for (std::size_t k = 0; k < n_words; ++k) total += BYCHANCE_BITS_OF(a[k] & b[k]);      \
    return total;                                                                          \
  }

BYCHANCE_AND_COUNT(plain)
#ifdef BYCHANCE_POPCNT
__attribute__((target("popcnt"))) BYCHANCE_AND_COUNT(popcnt)
    __attribute__((target("avx512f,avx512vpopcntdq"))) BYCHANCE_AND_COUNT(avx512)
#endif

        AndCounter fastest() {
#ifdef BYCHANCE_POPCNT
  if (__builtin_cpu_supports("avx512vpopcntdq")) return {avx512, 4.0};
  if (__builtin_cpu_supports("popcnt")) return {popcnt, 1.0};
#endif
  return {plain, 0.2};
}

}  // namespace

const AndCounter& and_counter() {
  static const AndCounter counter = fastest();
  return counter;
}

}  // namespace bychance
