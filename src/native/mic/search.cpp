// The best column cuts for given rows, by dynamic programming over clump boundaries.
//
// W(s, t) = sum over rows of g(points of the row in s..t) - g(points in s..t)
// F_1(t) = W(0, t), F_l(t) = max over s < t of F_{l-1}(s) + W(s, t), F_l(0) = 0
// (Reshef et al. 2011, SOM 3.2, in additive form). F_l allows at most l columns, and the last
// level is needed only at the last boundary.
#include <cstddef>
#include <cstdint>
#include <limits>

#include "mic/parts.hpp"

#if !defined(BYCHANCE_NO_DISPATCH) && defined(__x86_64__) && defined(__GNUC__)
#define BYCHANCE_MIC_AVX2 1
#include <immintrin.h>
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

namespace bychance {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Pack is four doubles, Four is four running table indices; look_up reads table[right - left].
namespace plain {

struct Four {
  std::int32_t lane[4];
  static Four load(const std::int32_t* a) { return {{a[0], a[1], a[2], a[3]}}; }
  Four taken_from(std::int32_t a) const { return {{a - lane[0], a - lane[1], a - lane[2], a - lane[3]}}; }
  Four beyond(std::int32_t a) const {
    Four over = *this;
    for (std::int32_t& i : over.lane) i = i > a ? i - a : 0;
    return over;
  }
};

#if defined(__SSE2__) || defined(_M_X64)
struct Pack {
  __m128d low, high;
  static Pack load(const double* a) { return {_mm_loadu_pd(a), _mm_loadu_pd(a + 2)}; }
  static Pack all(double a) { return {_mm_set1_pd(a), _mm_set1_pd(a)}; }
  static Pack look_up(const double* table, const Four& right, std::int32_t left) {
    return {_mm_loadh_pd(_mm_load_sd(table + (right.lane[0] - left)), table + (right.lane[1] - left)),
            _mm_loadh_pd(_mm_load_sd(table + (right.lane[2] - left)), table + (right.lane[3] - left))};
  }
  void store(double* a) const { _mm_storeu_pd(a, low), _mm_storeu_pd(a + 2, high); }
  template <int lane>
  Pack spread() const {
    const __m128d half = lane < 2 ? low : high;
    const __m128d one = lane % 2 ? _mm_unpackhi_pd(half, half) : _mm_unpacklo_pd(half, half);
    return {one, one};
  }
};
inline Pack operator+(Pack a, Pack b) { return {_mm_add_pd(a.low, b.low), _mm_add_pd(a.high, b.high)}; }
inline Pack operator-(Pack a, Pack b) { return {_mm_sub_pd(a.low, b.low), _mm_sub_pd(a.high, b.high)}; }
inline Pack max(Pack a, Pack b) { return {_mm_max_pd(a.low, b.low), _mm_max_pd(a.high, b.high)}; }
#else
struct Pack {
  double lane[4];
  static Pack load(const double* a) { return {{a[0], a[1], a[2], a[3]}}; }
  static Pack all(double a) { return {{a, a, a, a}}; }
  static Pack look_up(const double* table, const Four& right, std::int32_t left) {
    Pack found;
    for (int i = 0; i < 4; ++i) found.lane[i] = table[right.lane[i] - left];
    return found;
  }
  void store(double* a) const {
    for (int i = 0; i < 4; ++i) a[i] = lane[i];
  }
  template <int i>
  Pack spread() const {
    return all(lane[i]);
  }
};
inline Pack operator+(Pack a, Pack b) {
  for (int i = 0; i < 4; ++i) a.lane[i] += b.lane[i];
  return a;
}
inline Pack operator-(Pack a, Pack b) {
  for (int i = 0; i < 4; ++i) a.lane[i] -= b.lane[i];
  return a;
}
inline Pack max(Pack a, Pack b) {
  for (int i = 0; i < 4; ++i) a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  return a;
}
#endif

#include "mic/search.inl"

}  // namespace plain

#ifdef BYCHANCE_MIC_AVX2

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace avx2 {

struct Four {
  __m128i lane;
  static Four load(const std::int32_t* a) { return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(a))}; }
  Four taken_from(std::int32_t a) const { return {_mm_sub_epi32(_mm_set1_epi32(a), lane)}; }
  Four beyond(std::int32_t a) const {
    return {_mm_max_epi32(_mm_sub_epi32(lane, _mm_set1_epi32(a)), _mm_setzero_si128())};
  }
};

struct Pack {
  __m256d four;
  static Pack load(const double* a) { return {_mm256_loadu_pd(a)}; }
  static Pack all(double a) { return {_mm256_set1_pd(a)}; }
  static Pack look_up(const double* table, const Four& right, std::int32_t left) {
    // Not a gather: this is as fast on Intel and faster on AMD.
    const __m128i at = _mm_sub_epi32(right.lane, _mm_set1_epi32(left));
    const std::int64_t first = _mm_cvtsi128_si64(at);
    const std::int64_t second = _mm_extract_epi64(at, 1);
    const __m128d low = _mm_loadh_pd(_mm_load_sd(table + std::int32_t(first)), table + (first >> 32));
    const __m128d high = _mm_loadh_pd(_mm_load_sd(table + std::int32_t(second)), table + (second >> 32));
    return {_mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1)};
  }
  void store(double* a) const { _mm256_storeu_pd(a, four); }
  template <int lane>
  Pack spread() const {
    return {_mm256_permute4x64_pd(four, lane * 0x55)};
  }
};
inline Pack operator+(Pack a, Pack b) { return {_mm256_add_pd(a.four, b.four)}; }
inline Pack operator-(Pack a, Pack b) { return {_mm256_sub_pd(a.four, b.four)}; }
inline Pack max(Pack a, Pack b) { return {_mm256_max_pd(a.four, b.four)}; }

#include "mic/search.inl"

}  // namespace avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

}  // namespace

namespace {

bool has_avx2() {
#ifdef BYCHANCE_MIC_AVX2
  static const bool found = __builtin_cpu_supports("avx2");
  return found;
#else
  return false;
#endif
}

}  // namespace

#ifndef BYCHANCE_MIC_AVX2
namespace avx2 = plain;
#endif

void search_columns(const MicSearch& search) { has_avx2() ? avx2::search(search) : plain::search(search); }

double search_two_columns(const MicSearch& search) {
  return has_avx2() ? avx2::best_two(search) : plain::best_two(search);
}

double penalized_score(const MicSearch& search, double penalty, double margin) {
  return has_avx2() ? avx2::penalized(search, penalty, margin) : plain::penalized(search, penalty, margin);
}

}  // namespace bychance
