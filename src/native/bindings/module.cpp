// The module: arrays in, arrays out, the GIL released in between. Only bindings know both Python and the
// kernels.
#include "bindings/arrays.hpp"

namespace bychance {
namespace {

void bind_stop(nb::module_& m) {
  nb::class_<Stop>(m, "Stop", "A flag with which one thread ends the calls of others.")
      .def(nb::init<>())
      .def("set", [](Stop& self) { self.is_set = true; })
      .def_prop_ro("is_set", [](const Stop& self) { return self.is_set.load(); });
}

}  // namespace
}  // namespace bychance

NB_MODULE(_native, m) {
  m.doc() = "C++ kernels of bychance: arrays and scalars in, arrays out.";
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const std::length_error& e) {
      PyErr_SetString(PyExc_OverflowError, e.what());
    }
  });
  bychance::bind_stop(m);
  bychance::bind_moments(m);
  bychance::bind_mic(m);
  bychance::bind_sampling(m);
  bychance::bind_kernel_arrays(m);
  bychance::bind_lines(m);
  bychance::bind_p_values(m);
  bychance::bind_distributions(m);
  bychance::bind_forest(m);
}
