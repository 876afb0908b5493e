// Many pairs of columns made ready for MIC at once, and prepared variables as arrays for the GPU.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "mic/layout.hpp"
#include "mic/statistic.hpp"

namespace bychance {
namespace {

template <class T>
using Columns = std::vector<In<T>>;
using Variable = std::shared_ptr<MicVariable>;

struct SharedRows {
  std::vector<double> x, y;
  void fill(const Columns<double>& values, const Columns<bool>& is_missing, std::size_t first,
            std::size_t second) {
    x.clear(), y.clear();
    for (std::size_t row = 0; row < values[first].size(); ++row) {
      if (is_missing[first].data()[row] || is_missing[second].data()[row]) continue;
      x.push_back(values[first].data()[row]);
      y.push_back(values[second].data()[row]);
    }
  }
};

void require_columns(const Columns<double>& values, const Columns<bool>& is_missing) {
  require(values.size() == is_missing.size(), "values and is_missing must be of as many columns");
  for (std::size_t k = 0; k < values.size(); ++k) {
    require(values[k].size() == values[0].size() && is_missing[k].size() == values[0].size(),
            "columns must be of one length");
  }
}

}  // namespace

void bind_mic_pairs(nb::module_& m) {
  m.def(
      "mic_pairs",
      [](const Columns<double>& values, const Columns<bool>& is_missing, In<std::int64_t> first,
         In<std::int64_t> second, const MicVariable& like) {
        require_columns(values, is_missing);
        require(first.size() == second.size(), "first and second must be of one length");
        require_below(first, values.size(), "first must number the columns");
        require_below(second, values.size(), "second must number the columns");
        const MicSettings settings = like.settings;
        std::vector<Variable> x(first.size()), y(first.size());
        std::vector<double> observed(first.size());
        {
          nb::gil_scoped_release released;
          SharedRows rows;
          for (std::size_t p = 0; p < first.size(); ++p) {
            rows.fill(values, is_missing, static_cast<std::size_t>(first.data()[p]),
                      static_cast<std::size_t>(second.data()[p]));
            x[p] = std::make_shared<MicVariable>(rows.x.data(), rows.x.size(), settings);
            y[p] = std::make_shared<MicVariable>(rows.y.data(), rows.y.size(), settings);
            observed[p] = mic(*x[p], *y[p], workspace_of_thread(false));
          }
        }
        return std::make_tuple(std::move(x), std::move(y), to_numpy(std::move(observed)));
      },
      "values"_a, "is_missing"_a, "first"_a, "second"_a, "like"_a,
      "Both variables of each pair on the rows that both columns have, prepared as `like` is, and the "
      "statistic of each pairing as it is.");
  m.def(
      "mic_layout",
      [](const std::vector<Variable>& variables, std::size_t most_n) {
        require(!variables.empty(), "at least one variable");
        const std::size_t count = variables.size(), partitions = variables[0]->partitions.size();
        const std::size_t words = (most_n + 31) / 32;
        for (const Variable& each : variables) {
          require(each->partitions.size() == partitions && static_cast<std::size_t>(each->n) <= most_n &&
                      partitions < 256,
                  "variables must be of one budget, below 514, and of at most most_n rows");
        }
        std::vector<std::uint8_t> labels(count * partitions * most_n);
        std::vector<std::uint32_t> ties(count * words);
        std::vector<std::int32_t> parts(count * partitions);
        std::vector<double> entropy(count * partitions);
        {
          nb::gil_scoped_release released;
          const MicLayout layout{partitions,  most_n,       words,         labels.data(),
                                 ties.data(), parts.data(), entropy.data()};
          for (std::size_t k = 0; k < count; ++k) lay_out(*variables[k], k, layout);
        }
        return std::make_tuple(
            to_rows(std::move(labels), count, partitions * most_n), to_rows(std::move(ties), count, words),
            to_rows(std::move(parts), count, partitions), to_rows(std::move(entropy), count, partitions));
      },
      "variables"_a, "most_n"_a,
      "Of each variable, all of one budget: the row of every sorted position for 2, 3, … rows; where tie "
      "groups start, 32 positions per word; how many rows there are, and shifted by 16 bits one more than "
      "the number of an earlier partition with the same cuts; the entropy of the rows.");
}

}  // namespace bychance
