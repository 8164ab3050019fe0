"""Modules that the parsers import and never use (torch, the engine, ...), as empty ones: so that a parser runs without gigabytes beside it.

Call `allow(names)` with the top-level packages that may be absent. A module of such a package is made on import; whatever is looked up in it is a
class that can be made, called, subclassed and used as an annotation.
"""

import importlib.abc
import importlib.machinery
import os
import sys
import types


class _Meta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything

    def __getitem__(cls, item):
        return cls

    def __or__(cls, other):
        return cls

    __ror__ = __or__

    def __instancecheck__(cls, value):
        return False


class Anything(metaclass=_Meta):
    def __init__(self, *args, **kwargs):
        pass

    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        return {"type": "any"}

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and callable(args[0]) else self  # also a decorator

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class _Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if any(".".join(parts[:i]) in self.names for i in range(1, len(parts) + 1)):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        module.__path__ = []
        module.__version__ = "0.0.0"


def allow(names):
    """What is installed is used all the same: this finder comes last. A name with a dot is taken before what is installed."""
    sys.meta_path.append(_Finder({n for n in names if "." not in n}))
    sys.meta_path.insert(0, _Finder({n for n in names if "." in n}))


def bare(root, names):
    """These packages below `root` without running their __init__.py, which would start the whole server."""
    for name in names:
        module = types.ModuleType(name)
        module.__path__ = [os.path.join(root, *name.split("."))]
        sys.modules[name] = module


def give(name, **values):
    """A module that has these values, and is absent otherwise."""
    module = _Module(name)
    module.__dict__.update(values)
    sys.modules[name] = module
