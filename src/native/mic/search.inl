// The search, written once for packs of four doubles; included once per instruction set.

// Adds to w, or with `start` writes there, W(s, t) or its part from look-ups first .. first +
// lookups - 1, for s < t0 and the four t from t0.
template <int lookups, bool start>
void add_gains(const MicSearch& q, std::int32_t t0, std::int32_t first) {
  const std::int32_t* index = q.index + first * std::size_t(q.boundaries);
  Four right[lookups + 1];
  for (int j = 0; j < lookups; ++j) right[j] = Four::load(index + j * std::size_t(q.boundaries) + t0);
  right[lookups] = Four::load(q.last + t0);
  double* out = q.w;
  for (std::int32_t s = 0; s < t0; ++s, out += 4) {
    Pack sum = start ? Pack::look_up(q.last_table, right[lookups], q.last[s]) : Pack::load(out);
    for (int j = 0; j < lookups; ++j)
      sum = sum + Pack::look_up(q.table, right[j], index[j * std::size_t(q.boundaries) + s]);
    sum.store(out);
  }
}

void find_gains(const MicSearch& q, std::int32_t t0) {
  std::int32_t done = q.lookups % 4;
  switch (done) {
    case 0:
      add_gains<0, true>(q, t0, 0);
      break;
    case 1:
      add_gains<1, true>(q, t0, 0);
      break;
    case 2:
      add_gains<2, true>(q, t0, 0);
      break;
    default:
      add_gains<3, true>(q, t0, 0);
  }
  for (; done < q.lookups; done += 4) add_gains<4, false>(q, t0, done);
}

// W(s, t) if s itself is one of the four: minus infinity if t <= s.
inline void inner_gains(const MicSearch& q, std::int32_t t0, Pack* inner) {
  static const double unreachable[3][4] = {{minus_infinity, 0, 0, 0},
                                           {minus_infinity, minus_infinity, 0, 0},
                                           {minus_infinity, minus_infinity, minus_infinity, 0}};
  for (int i = 0; i < 3; ++i) {
    const Four last = Four::load(q.last + t0).beyond(q.last[t0 + i]);
    inner[i] = Pack::load(unreachable[i]) + Pack::look_up(q.last_table, last, 0);
  }
  const std::int32_t* index = q.index + t0;
  for (std::int32_t j = 0; j < q.lookups; ++j, index += q.boundaries)
    for (int i = 0; i < 3; ++i)
      inner[i] = inner[i] + Pack::look_up(q.table, Four::load(index).beyond(index[i]), 0);
}

inline void store_transposed(const Pack* best, double* out, std::int32_t stride, int count) {
  for (int b = 0; b < count; b += 4) {
    double tile[4][4];
    for (int i = 0; i < 4; ++i) best[b + i].store(tile[i]);
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 4; ++i) out[k * std::size_t(stride) + b + i] = tile[i][k];
  }
}

template <int lane, int count>
inline void extend_within(Pack* best, Pack before, Pack inner) {
  for (int b = count - 1; b >= 0; --b)
    best[b] = max(best[b], (b ? best[b - 1] : before).template spread<lane>() + inner);
}

// Levels first + 2 .. first + count + 1 at boundaries t0 .. t0 + 3; level l is in column l - 1.
// Returns the last of them.
template <int count>
Pack extend(const MicSearch& q, std::int32_t t0, std::int32_t first, const Pack* inner, Pack before) {
  // Few levels need several accumulators to hide the latency of max.
  constexpr int ways = count == 1 ? 4 : count <= 3 ? 2 : 1;
  Pack best[(count + 3) / 4 * 4], more[ways][count];
  for (Pack& b : best) b = Pack::all(minus_infinity);
  for (auto& way : more)
    for (Pack& b : way) b = Pack::all(minus_infinity);
  const double* level = q.levels + first;
  const double* w = q.w;
  std::int32_t s = 0;
  for (; s + ways <= t0; s += ways)
    for (int i = 0; i < ways; ++i, level += q.stride, w += 4) {
      const Pack gained = Pack::load(w);
      for (int b = 0; b < count; ++b) more[i][b] = max(more[i][b], Pack::all(level[b]) + gained);
    }
  for (; s < t0; ++s, level += q.stride, w += 4)
    for (int b = 0; b < count; ++b) best[b] = max(best[b], Pack::all(level[b]) + Pack::load(w));
  for (auto& way : more)
    for (int b = 0; b < count; ++b) best[b] = max(best[b], way[b]);
  extend_within<0, count>(best, before, inner[0]);
  extend_within<1, count>(best, before, inner[1]);
  extend_within<2, count>(best, before, inner[2]);
  store_transposed(best, q.levels + std::size_t(t0) * q.stride + first + 1, q.stride, count);
  return best[count - 1];
}

// Levels 1 .. left + 1 at boundaries t0 .. t0 + 3.
void fill_levels(const MicSearch& q, std::int32_t t0, std::int32_t left) {
  find_gains(q, t0);
  Pack inner[3];
  inner_gains(q, t0, inner);
  Pack before = Pack::load(q.w);
  for (int k = 0; k < 4; ++k) q.levels[std::size_t(t0 + k) * q.stride] = q.w[k];
  std::int32_t first = 0;
  for (; left >= 8; left -= 8, first += 8) before = extend<8>(q, t0, first, inner, before);
  switch (left) {
    case 1:
      extend<1>(q, t0, first, inner, before);
      break;
    case 2:
      extend<2>(q, t0, first, inner, before);
      break;
    case 3:
      extend<3>(q, t0, first, inner, before);
      break;
    case 4:
      extend<4>(q, t0, first, inner, before);
      break;
    case 5:
      extend<5>(q, t0, first, inner, before);
      break;
    case 6:
      extend<6>(q, t0, first, inner, before);
      break;
    case 7:
      extend<7>(q, t0, first, inner, before);
      break;
    default:
      break;
  }
}

// max over s of W(0, s) + W(s, p), four s at a time; a boundary past the end repeats the last.
double best_two(const MicSearch& q) {
  Pack best = Pack::all(minus_infinity);
  for (std::int32_t s = 0; s < q.clumps; s += 4) {
    const Four at = Four::load(q.last + s);
    Pack sum =
        Pack::look_up(q.last_table, at, 0) + Pack::look_up(q.last_table, at.taken_from(q.last[q.clumps]), 0);
    const std::int32_t* index = q.index;
    for (std::int32_t j = 0; j < q.lookups; ++j, index += q.boundaries) {
      const Four cut = Four::load(index + s);
      sum = sum + Pack::look_up(q.table, cut, 0) + Pack::look_up(q.table, cut.taken_from(index[q.clumps]), 0);
    }
    best = max(best, sum);
  }
  double lane[4];
  best.store(lane);
  for (int i = 1; i < 4; ++i) lane[0] = lane[i] > lane[0] ? lane[i] : lane[0];
  return lane[0];
}

void search(const MicSearch& q) {
  for (std::int32_t l = 0; l < q.stride; ++l) q.levels[l] = 0.0;
  std::int32_t t0 = 1;
  for (; t0 + 4 <= q.clumps; t0 += 4) fill_levels(q, t0, q.columns - 2);
  // The last level is needed at the last boundary only.
  fill_levels(q, t0, q.columns - 1);
}

// Scores f(s) + W(s, t) of the open s for the four t from t0, kept in w; returns the best.
template <int lookups>
Pack score_open(const MicSearch& q, std::int32_t t0, std::int32_t n_open) {
  Four right[lookups + 1];
  for (int j = 0; j < lookups; ++j) right[j] = Four::load(q.index + j * std::size_t(q.boundaries) + t0);
  right[lookups] = Four::load(q.last + t0);
  Pack best = Pack::all(minus_infinity);
  for (std::int32_t i = 0; i < n_open; ++i) {
    const std::int32_t s = q.open[i];
    Pack score = Pack::all(q.levels[s]) + Pack::look_up(q.last_table, right[lookups], q.last[s]);
    const std::int32_t* index = q.index;
    for (int j = 0; j < lookups; ++j, index += q.boundaries)
      score = score + Pack::look_up(q.table, right[j], index[s]);
    for (std::int32_t j = lookups; j < q.lookups; ++j, index += q.boundaries)
      score = score + Pack::look_up(q.table, Four::load(index + t0), index[s]);
    score.store(q.w + 4 * i);
    best = max(best, score);
  }
  return best;
}

template <int lane>
void open_within(const MicSearch& q, std::int32_t t, std::int32_t at, Pack penalty, Pack inner, Pack& best) {
  const Pack score = (best - penalty).template spread<lane>() + inner;
  score.store(q.w + 4 * at);
  q.open[at] = t;
  best = max(best, score);
}

// f(t) = max over s of f(s) + W(s, t) - penalty. A boundary s with f(s) + W(s, t) <= f(t) never
// wins again, because a cut at t can only help, so few stay open (PELT, Killick et al. 2012).
// The margin covers the rounding of W: what is dropped could not have won by a single unit.
template <int lookups>
double penalized_with(const MicSearch& q, double penalty, double margin) {
  double* f = q.levels;
  const Pack cost = Pack::all(penalty);
  std::int32_t n_open = 1;
  f[0] = 0;
  q.open[0] = 0;
  for (std::int32_t t0 = 1; t0 <= q.clumps; t0 += 4) {
    Pack best = score_open<lookups>(q, t0, n_open), inner[3];
    inner_gains(q, t0, inner);
    open_within<0>(q, t0, n_open, cost, inner[0], best);
    open_within<1>(q, t0 + 1, n_open + 1, cost, inner[1], best);
    open_within<2>(q, t0 + 2, n_open + 2, cost, inner[2], best);
    (best - cost).store(f + t0);
    std::int32_t kept = 0;
    for (std::int32_t i = 0; i < n_open + 3; ++i) {
      q.open[kept] = q.open[i];
      kept += q.w[4 * i + 3] + margin > f[t0 + 3];
    }
    q.open[kept] = t0 + 3;
    n_open = kept + 1;
  }
  return f[q.clumps];
}

double penalized(const MicSearch& q, double penalty, double margin) {
  switch (q.lookups) {
    case 0:
      return penalized_with<0>(q, penalty, margin);
    case 1:
      return penalized_with<1>(q, penalty, margin);
    case 2:
      return penalized_with<2>(q, penalty, margin);
    case 3:
      return penalized_with<3>(q, penalty, margin);
    case 4:
      return penalized_with<4>(q, penalty, margin);
    default:
      return penalized_with<5>(q, penalty, margin);
  }
}
