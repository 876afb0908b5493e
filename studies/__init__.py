"""Studies that fit the rules of the library and judge them. README.md lists them."""
