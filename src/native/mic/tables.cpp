// The tables of g(k) = k ln k that all searches read.
#include <cmath>
#include <memory>
#include <mutex>

#include "mic/parts.hpp"

namespace bychance {

namespace {

// g(2^bits) < 2^(bits + log2(bits)) bounds every partial sum, so these bits never overflow 53.
double rounding_unit(int bits) {
  return std::ldexp(1.0, 52 - bits - int(std::ceil(std::log2(bits * 0.6932))));
}

std::unique_ptr<MicTables> build(int bits) {
  auto tables = std::make_unique<MicTables>();
  const double unit = rounding_unit(bits);
  tables->unit = 1 / unit;
  const std::int32_t size = (std::int32_t(1) << bits) + 1;
  tables->single.resize(size);
  for (std::int32_t k = 2; k < size; ++k)
    tables->single[k] = std::nearbyint(k * std::log(double(k)) * unit) / unit;
  const std::vector<double>& g = tables->single;
  for (double value : g) tables->negative.push_back(-value);
  for (std::int32_t a = 0; a < MicTables::stride; ++a)
    for (std::int32_t b = 0; b < MicTables::stride; ++b) {
      tables->pair.push_back(g[a] + g[b]);
      tables->two_rows.push_back(g[a] + g[b] - g[a + b]);
    }
  if (bits > 8) return tables;
  for (std::int32_t a = 0; a < MicTables::stride; ++a)
    for (std::int32_t total = 0; total < MicTables::total_stride; ++total)
      tables->odd_row.push_back(g[a] - g[total]);
  return tables;
}

}  // namespace

const MicTables& mic_tables(std::int32_t n) {
  static std::once_flag built[32];
  static std::unique_ptr<const MicTables> tables[32];
  int bits = 8;
  while ((std::int32_t(1) << bits) < n) ++bits;
  std::call_once(built[bits], [&] { tables[bits] = build(bits); });
  return *tables[bits];
}

}  // namespace bychance
