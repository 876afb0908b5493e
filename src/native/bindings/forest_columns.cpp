// Training columns, new rows and targets: NumPy arrays in.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/forest.hpp"

namespace bychance {
namespace {

constexpr const char* kCodes = "codes must number the values";

void require_column(const FeatureTable& table, std::size_t column, std::size_t n) {
  require(column < table.columns.size(), "there is no such column");
  require(n == table.n_rows, "columns must be of one length");
}

void require_room(const FeatureRows& rows, std::size_t n) {
  require(n == rows.n_rows, "columns must be of one length");
  require(rows.n_added < rows.n_columns(), "all columns are there already");
}

std::vector<double> weights_of(const std::optional<In<double>>& weights, std::size_t n) {
  if (!weights) return {};
  require(weights->size() == n, "weights must have one number per row");
  return {weights->data(), weights->data() + n};
}

void bind_target(nb::module_& m) {
  nb::class_<Target>(m, "Target", "The values that trees predict.")
      .def_static(
          "of_classes",
          [](Codes y, std::size_t n_classes, std::optional<In<double>> weights) {
            require(n_classes > 0, "there must be a class");
            require_below(y, n_classes, "y must hold class numbers");
            return Target{n_classes, {y.data(), y.data() + y.size()}, {}, weights_of(weights, y.size())};
          },
          "y"_a, "n_classes"_a, "weights"_a.none(), "Make a target of class numbers.")
      .def_static(
          "of_numbers",
          [](In<double> y, std::optional<In<double>> weights) {
            return Target{0, {}, {y.data(), y.data() + y.size()}, weights_of(weights, y.size())};
          },
          "y"_a, "weights"_a.none(), "Make a target of finite numbers.")
      .def_prop_ro("n_outputs", &Target::n_outputs);
}

}  // namespace

void bind_forest_columns(nb::module_& m) {
  bind_target(m);
  nb::class_<FeatureTable>(m, "FeatureTable", "Training columns as codes.")
      .def(nb::init<std::size_t, std::size_t>(), "n_rows"_a, "n_columns"_a)
      .def(
          "set_numbers",
          [](FeatureTable& self, std::size_t column, In<double> numbers) {
            require_column(self, column, numbers.size());
            released([&] { self.set_numbers(column, numbers.data()); });
          },
          "column"_a, "numbers"_a, "Rank the numbers. NaN is missing.")
      .def(
          "set_ranks",
          [](FeatureTable& self, std::size_t column, Codes codes, In<double> values) {
            require_column(self, column, codes.size());
            require_below(codes, values.size(), kCodes, -1);
            self.set_ranks(column, codes.data(), values.data(), values.size());
          },
          "column"_a, "codes"_a, "values"_a, "Set the ranks of ascending distinct values. -1 is missing.")
      .def(
          "set_categories",
          [](FeatureTable& self, std::size_t column, Codes codes, std::size_t n_categories) {
            require_column(self, column, codes.size());
            require_below(codes, n_categories, kCodes, -1);
            self.set_categories(column, codes.data(), n_categories);
          },
          "column"_a, "codes"_a, "n_categories"_a, "Set category numbers. -1 is missing.")
      .def(
          "codes",
          [](const FeatureTable& self, std::size_t column) {
            const FeatureColumn& picked = self.columns.at(column);
            std::vector<std::int32_t> codes(self.n_rows);
            for (std::size_t row = 0; row < self.n_rows; ++row) {
              const std::uint32_t code = picked.codes[row];
              codes[row] = code == picked.n_codes ? -1 : static_cast<std::int32_t>(code);
            }
            return to_numpy(std::move(codes));
          },
          "column"_a, "Return the codes of a column. -1 is missing.")
      .def(
          "values",
          [](const FeatureTable& self, std::size_t column) {
            return to_numpy(std::vector<double>(self.columns.at(column).values));
          },
          "column"_a, "Return the distinct values of a numeric column in ascending order.")
      .def_ro("n_rows", &FeatureTable::n_rows);
  nb::class_<FeatureRows>(m, "FeatureRows", "New rows, columns as those of a FeatureTable.")
      .def(nb::init<std::size_t, std::size_t>(), "n_rows"_a, "n_columns"_a)
      .def(
          "add_numeric",
          [](FeatureRows& self, In<double> numbers) {
            require_room(self, numbers.size());
            released([&] { self.add_numeric(numbers.data()); });
          },
          "numbers"_a.noconvert(), nb::keep_alive<1, 2>(), "Add numbers without a copy. NaN is missing.")
      .def(
          "add_categorical",
          [](FeatureRows& self, Codes codes, std::size_t n_categories) {
            require_room(self, codes.size());
            require_below(codes, n_categories, kCodes, -2);
            released([&] { self.add_categorical(codes.data()); });
          },
          "codes"_a.noconvert(), "n_categories"_a, nb::keep_alive<1, 2>(),
          "Add category numbers without a copy. -1 is missing, -2 unseen in training.")
      .def_ro("n_rows", &FeatureRows::n_rows);
}

}  // namespace bychance
