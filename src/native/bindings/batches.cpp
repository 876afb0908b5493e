// Sums over batches of rows: arrays in, totals that grow, the GIL released in between.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "pairs/batch_sums.hpp"

namespace bychance {
namespace {

template <class T>
using Total = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using TotalRows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using TotalCube = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T>
using List = std::vector<In<T>>;

std::vector<const bool*> pointers(const List<bool>& is_missing, std::size_t n_rows) {
  std::vector<const bool*> found;
  for (const auto& mask : is_missing) {
    require(mask.size() == n_rows, "masks must be of one length");
    found.push_back(mask.data());
  }
  return found;
}

void require_codes(const In<std::int32_t>& codes, std::size_t bound) {
  for (std::size_t k = 0; k < codes.size(); ++k) {
    require(codes.data()[k] < 0 || static_cast<std::size_t>(codes.data()[k]) < bound,
            "codes must number the groups");
  }
}

}  // namespace

void bind_batches(nb::module_& m) {
  m.def(
      "scaled_rows",
      [](const List<double>& values, const List<bool>& is_missing, InRows<double> scalings,
         TotalRows<double> z) {
        const std::size_t count = values.size(), n = z.shape(0);
        require(is_missing.size() == count && z.shape(1) == count, "one mask and one column of z a column");
        require(scalings.shape(0) == count && scalings.shape(1) == 3, "one scaling a column");
        const auto masks = pointers(is_missing, n);
        std::vector<MaskedColumn> columns;
        std::vector<LineScaling> scales;
        for (std::size_t i = 0; i < count; ++i) {
          require(values[i].size() == n, "columns must be of one length");
          columns.push_back({values[i].data(), masks[i]});
          const double* s = scalings.data() + 3 * i;
          scales.push_back({s[0], s[1], s[2]});
        }
        nb::gil_scoped_release released;
        scaled_rows({columns.data(), scales.data(), count}, n, z.data());
      },
      "values"_a, "is_missing"_a, "scalings"_a, "z"_a.noconvert(),
      "Writes (value * before - center) * after of every column, 0 where missing, one row of z a row.");
  m.def(
      "add_power_sums",
      [](InRows<double> z, const List<bool>& is_missing, TotalCube<double> sums) {
        const auto masks = pointers(is_missing, z.shape(0));
        require(sums.shape(0) == masks.size() && sums.shape(1) == kPowers && sums.shape(2) == z.shape(1),
                "sums must hold six powers of every column for every mask");
        nb::gil_scoped_release released;
        add_power_sums(z.data(), z.shape(1), {masks.data(), masks.size()}, z.shape(0), sums.data());
      },
      "z"_a, "is_missing"_a, "sums"_a.noconvert(),
      "Adds the sums of powers 1 to 6 of every column over the rows that each mask has.");
  m.def(
      "add_shared_counts",
      [](const List<bool>& is_missing, TotalRows<std::int64_t> counts,
         const std::optional<List<bool>>& others) {
        require(!is_missing.empty(), "at least one mask");
        const std::size_t n = is_missing[0].size();
        const auto masks = pointers(is_missing, n), with = others ? pointers(*others, n) : masks;
        require(counts.shape(0) == masks.size() && counts.shape(1) == with.size(),
                "one count a pair of masks");
        nb::gil_scoped_release released;
        if (others) {
          add_shared_counts({masks.data(), masks.size()}, {with.data(), with.size()}, n, counts.data());
        } else {
          add_shared_counts({masks.data(), masks.size()}, n, counts.data());
        }
      },
      "is_missing"_a, "counts"_a.noconvert(), "others"_a = nb::none(),
      "Adds how many rows every mask shares with each of the others, or every two masks of one list.");
  m.def(
      "add_group_sums",
      [](const List<std::int32_t>& codes, InRows<double> z, const List<bool>& is_missing,
         const std::vector<TotalRows<double>>& sums, const std::vector<TotalRows<std::int64_t>>& missing,
         const std::vector<Total<std::int64_t>>& sizes) {
        const std::size_t n = z.shape(0), width = z.shape(1), count = codes.size();
        const auto masks = pointers(is_missing, n);
        require(masks.size() == width, "one mask a column");
        require(n * width < (std::size_t{1} << 32), "a batch holds fewer values");
        require(sums.size() == count && missing.size() == count && sizes.size() == count,
                "totals a labeling");
        for (std::size_t c = 0; c < count; ++c) {
          require(codes[c].size() == n, "one code a row");
          require(sums[c].shape(1) == width && missing[c].shape(1) == width, "one column of sums a column");
          require(sums[c].shape(0) == sizes[c].size() && missing[c].shape(0) == sizes[c].size(),
                  "one row of sums a group");
        }
        nb::gil_scoped_release released;
        const auto values = missing_values({masks.data(), width}, n);
        for (std::size_t c = 0; c < count; ++c) {
          require_codes(codes[c], sizes[c].size());
          add_group_sums(codes[c].data(), z.data(), width, values, n,
                         {sums[c].data(), missing[c].data(), sizes[c].data()});
        }
      },
      "codes"_a, "z"_a, "is_missing"_a, "sums"_a.noconvert(), "missing"_a.noconvert(), "sizes"_a.noconvert(),
      "Adds of each labeling the sums of z within groups, how many rows of each every column misses, and the "
      "groups' sizes.");
  m.def(
      "add_table",
      [](In<std::int32_t> x, In<std::int32_t> y, TotalRows<std::int64_t> table) {
        require(x.size() == y.size(), "codes must be of one length");
        nb::gil_scoped_release released;
        require_codes(x, table.shape(0));
        require_codes(y, table.shape(1));
        add_table(x.data(), y.data(), x.size(), table.shape(1), table.data());
      },
      "x"_a, "y"_a, "table"_a.noconvert(),
      "Counts the rows of every two labels; a negative code is missing.");
}

}  // namespace bychance
