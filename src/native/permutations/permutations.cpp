// Fisher-Yates shuffles of a counter-based stream.
#include "permutations/permutations.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bychance {
namespace {

// Trades places of `order` by Fisher and Yates; `place` gives the place of its i-th one.
template <class Place>
void shuffle(std::int32_t* order, std::size_t size, const std::uint32_t* partners, Place place) {
  for (std::size_t i = size; i-- > 1;) std::swap(order[place(i)], order[place(partners[i])]);
}

}  // namespace

Permutations::Permutations(std::size_t n) : n_(n) {
  if (n > std::numeric_limits<std::int32_t>::max()) {
    throw std::invalid_argument("n must be below 2^31: rows are numbered by 32 bits");
  }
}

Permutations Permutations::free(PhiloxKey key, std::size_t n) {
  Permutations made(n);
  made.key_ = key;
  return made;
}

Permutations Permutations::within(PhiloxKey key, const std::int32_t* strata, std::size_t n) {
  Permutations made = free(key, n);
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

Permutations Permutations::blocks(PhiloxKey key, std::size_t n, std::size_t block) {
  if (block == 0) throw std::invalid_argument("block must be at least 1");
  Permutations made = free(key, n);
  made.block_ = block;
  return made;
}

Permutations Permutations::listed(SharedArray<std::int32_t> rows, std::size_t count, std::size_t n) {
  for (const std::int32_t row : rows) {
    if (row < 0 || static_cast<std::size_t>(row) >= n) {
      throw std::invalid_argument("permutations must hold row numbers");
    }
  }
  Permutations made(n);
  made.rows_ = std::move(rows);
  made.count_ = count;
  return made;
}

void Permutations::require_numbers(std::uint64_t first, std::size_t count) const {
  if (is_listed() && (first > count_ || count > count_ - first)) {
    throw std::invalid_argument("first and count must stay within the listed permutations");
  }
}

Permutations::Reader::Reader(const Permutations& permutations) : of_(permutations) {
  if (of_.is_listed()) return;
  row_.resize(of_.n_);
  if (of_.has_blocks()) order_.resize(of_.n_moving());
}

const std::int32_t* Permutations::Reader::operator()(std::uint64_t number) {
  if (of_.is_listed()) return of_.rows_.data + number * of_.n_;
  if (of_.has_blocks()) {
    of_.shuffled(number, order_.data(), partners_);
    of_.lay_out(order_.data(), row_.data());
  } else {
    of_.shuffled(number, row_.data(), partners_);
  }
  return row_.data();
}

void Permutations::shuffled(std::uint64_t number, std::int32_t* order, Scratch& partners) const {
  DrawStream stream(key_, number);
  partners.resize(n_moving());
  std::iota(order, order + n_moving(), 0);
  if (starts_.empty()) {
    draw_partners(stream, n_moving(), partners.data());
    shuffle(order, n_moving(), partners.data(), [](std::size_t i) { return i; });
    return;
  }
  for (std::size_t s = 0; s + 1 < starts_.size(); ++s) {
    const std::int32_t* members = members_.data() + starts_[s];
    const std::size_t size = starts_[s + 1] - starts_[s];
    draw_partners(stream, size, partners.data());
    shuffle(order, size, partners.data(), [members](std::size_t i) { return members[i]; });
  }
}

void Permutations::lay_out(const std::int32_t* order, std::int32_t* pairing) const {
  if (!has_blocks()) {
    std::copy_n(order, n_, pairing);
    return;
  }
  for (std::size_t b = 0; b < n_moving(); ++b) {
    const std::size_t begin = order[b] * block_, end = std::min(begin + block_, n_);
    for (std::size_t k = begin; k < end; ++k) *pairing++ = k;
  }
}

Permutations::Swaps::Swaps(const Permutations& permutations, const std::vector<std::int32_t>& favored)
    : n_moving_(permutations.n_moving()),
      members_(permutations.members_.data()),
      starts_(permutations.starts_.data()),
      n_picks_(n_moving_) {
  std::vector<std::uint32_t> member_of(favored.empty() ? 0 : n_moving_);
  std::iota(member_of.begin(), member_of.end(), 0u);
  if (!permutations.starts_.empty()) {
    stratum_of_.resize(permutations.n_);
    for (std::size_t s = 0; s + 1 < permutations.starts_.size(); ++s) {
      std::fill(stratum_of_.begin() + starts_[s], stratum_of_.begin() + starts_[s + 1],
                static_cast<std::uint32_t>(s));
    }
    for (std::size_t k = 0; k < member_of.size(); ++k) {
      member_of[members_[k]] = k;
    }
  }
  if (!favored.empty()) {
    picks_.resize(n_moving_);
    std::iota(picks_.begin(), picks_.end(), 0u);
    const std::size_t n_each = std::max<std::size_t>(1, n_moving_ / (3 * favored.size()));
    for (const std::int32_t row : favored) {
      picks_.insert(picks_.end(), n_each, member_of[row]);
    }
    n_picks_ = picks_.size();
  }
  if (!stratum_of_.empty() || n_moving_ < 2) return;
  const std::uint64_t each = static_cast<std::uint64_t>(n_picks_) * (n_moving_ - 1);
  std::uint64_t product = each;
  for (per_word_ = 1; per_word_ < kMostPerWord && product <= (std::uint64_t{1} << 56) / each; ++per_word_) {
    product *= each;
  }
  threshold_ = (0 - product) % product;
}

void Permutations::Swaps::draw(DrawStream& stream, std::size_t count, std::uint32_t* first,
                               std::uint32_t* second) const {
  if (per_word_ == 0) {
    for (std::size_t s = 0; s < count; ++s) {
      const auto [i, j] = (*this)(stream);
      first[s] = i;
      second[s] = j;
    }
    return;
  }
  for (std::size_t s = 0; s < count; s += per_word_) {
    std::uint64_t word;
    do {
      word = stream.next_word();
      for (std::size_t k = s; k < s + per_word_; ++k) {
        first[k] = multiply_high(word, n_picks_, &word);
        second[k] = multiply_high(word, n_moving_ - 1, &word);
      }
    } while (word < threshold_);
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (!picks_.empty()) first[s] = picks_[first[s]];
    second[s] += second[s] >= first[s];
  }
}

}  // namespace bychance
