// Fisher-Yates shuffles of a counter-based stream.
#include "nulls/repairings.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bychance {
namespace {

void shuffle(std::int32_t* values, std::size_t size, DrawStream& stream) {
  for (std::size_t i = size; i > 1; --i) {
    std::swap(values[i - 1], values[stream.below(static_cast<std::uint32_t>(i))]);
  }
}

}  // namespace

Repairings Repairings::free(PhiloxKey key, std::size_t n) {
  Repairings made(n);
  made.key_ = key;
  return made;
}

Repairings Repairings::within(PhiloxKey key, const std::int32_t* strata, std::size_t n) {
  Repairings made = free(key, n);
  auto& members = made.members_;
  members.resize(n);
  std::iota(members.begin(), members.end(), 0);
  std::stable_sort(members.begin(), members.end(),
                   [strata](std::int32_t a, std::int32_t b) { return strata[a] < strata[b]; });
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || strata[members[k]] != strata[members[k - 1]]) made.starts_.push_back(k);
  }
  made.starts_.push_back(n);
  return made;
}

Repairings Repairings::blocks(PhiloxKey key, std::size_t n, std::size_t block) {
  if (block == 0) throw std::invalid_argument("block must be at least 1");
  Repairings made = free(key, n);
  made.block_ = block;
  return made;
}

Repairings Repairings::listed(Held<std::int32_t> rows, std::size_t count, std::size_t n) {
  for (const std::int32_t row : rows) {
    if (row < 0 || static_cast<std::size_t>(row) >= n) {
      throw std::invalid_argument("re-pairings must hold row numbers");
    }
  }
  Repairings made(n);
  made.rows_ = std::move(rows);
  made.count_ = count;
  return made;
}

void Repairings::require_numbers(std::uint64_t first, std::size_t count) const {
  if (rows_.data != nullptr && (first > count_ || count > count_ - first)) {
    throw std::invalid_argument("first and count must stay within the listed re-pairings");
  }
}

Repairings::Reader::Reader(const Repairings& repairings) : of_(repairings) {
  if (of_.rows_.data == nullptr) row_.resize(of_.n_);
}

const std::int32_t* Repairings::Reader::operator()(std::uint64_t number) {
  if (of_.rows_.data != nullptr) return of_.rows_.data + number * of_.n_;
  DrawStream stream(of_.key_, number);
  if (!of_.starts_.empty()) {
    shuffle_strata(stream);
  } else if (of_.block_ > 1) {
    shuffle_blocks(stream);
  } else {
    std::iota(row_.begin(), row_.end(), 0);
    shuffle(row_.data(), row_.size(), stream);
  }
  return row_.data();
}

void Repairings::Reader::shuffle_strata(DrawStream& stream) {
  scratch_ = of_.members_;
  for (std::size_t s = 0; s + 1 < of_.starts_.size(); ++s) {
    const std::size_t begin = of_.starts_[s], end = of_.starts_[s + 1];
    shuffle(scratch_.data() + begin, end - begin, stream);
    for (std::size_t k = begin; k < end; ++k) row_[of_.members_[k]] = scratch_[k];
  }
}

void Repairings::Reader::shuffle_blocks(DrawStream& stream) {
  const std::size_t n_blocks = (of_.n_ + of_.block_ - 1) / of_.block_;
  scratch_.resize(n_blocks);
  std::iota(scratch_.begin(), scratch_.end(), 0);
  shuffle(scratch_.data(), n_blocks, stream);
  std::int32_t* row = row_.data();
  for (const std::int32_t b : scratch_) {
    const std::size_t begin = static_cast<std::size_t>(b) * of_.block_;
    const std::size_t end = std::min(begin + of_.block_, of_.n_);
    for (std::size_t k = begin; k < end; ++k) *row++ = static_cast<std::int32_t>(k);
  }
}

}  // namespace bychance
