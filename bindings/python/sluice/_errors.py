"""Exceptions. Every one has a `code`, the name of the library's status code."""

from __future__ import annotations

from typing import NoReturn


class SluiceError(Exception):
    """A call to the library failed. `code` is one of `no_memory`, `argument`, `not_found`, `script`, `json`,
    `refused`, `unsupported`, `misuse`."""

    code = "error"


class ArgumentError(SluiceError, ValueError):
    """An argument or the value of an option is invalid."""

    code = "argument"


class NotFoundError(SluiceError, LookupError):
    """There is no such syntax, model, file or target."""

    code = "not_found"


class ScriptError(SluiceError):
    """A syntax script cannot be loaded, or raised an error."""

    code = "script"


class JsonError(SluiceError, ValueError):
    """Invalid JSON."""

    code = "json"


class RefusedError(SluiceError, ValueError):
    """The format or the target cannot express this."""

    code = "refused"


class UnsupportedError(SluiceError):
    """Not available for this syntax or in this build."""

    code = "unsupported"


class MisuseError(SluiceError):
    """A call out of order, such as feeding a finished stream."""

    code = "misuse"


class OutOfMemoryError(SluiceError, MemoryError):
    """An allocation failed."""

    code = "no_memory"


# Of the status codes, from 0 down.
_CLASSES = (SluiceError, OutOfMemoryError, ArgumentError, NotFoundError, ScriptError, JsonError, RefusedError, UnsupportedError, MisuseError)


def raise_error(code: int, message: str) -> NoReturn:
    """Raises the exception for a status code of the library."""
    raise _CLASSES[-code](message)
