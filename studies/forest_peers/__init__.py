"""Our forests beside other packages' on public tables: docs/forest_study.md."""
