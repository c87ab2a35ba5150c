# Registry of converters by op name of a framework.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib


class Registry:
    """A decorator with the names that a function writes; `families` are the modules of the package that use it."""

    def __init__(self, package, *families):
        self.package, self.families, self.table = package, families, {}

    def __call__(self, *names):
        def register(function):
            for name in names:
                assert name not in self.table, f"two functions write {name}"
                self.table[name] = function
            return function
        return register

    def get(self, name):
        """None where no function writes it. The families are imported by the first question."""
        while self.families:
            first, *rest = self.families
            self.families = rest
            importlib.import_module(f"{self.package}.{first}")
        return self.table.get(name)
