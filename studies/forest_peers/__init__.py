"""Our forests beside other packages' on public tables: docs/validation/forests.csv."""
