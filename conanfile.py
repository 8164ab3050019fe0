# not run yet
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import load


class Sluice(ConanFile):
    name = "sluice"
    description = "Takes tool calls out of a language model's output while it streams"
    license = "MIT"
    settings = "os", "compiler", "build_type", "arch"
    requires = "cjson/1.7.18"
    generators = "CMakeToolchain", "CMakeDeps"
    exports_sources = "CMakeLists.txt", "LICENSE", "THIRD_PARTY_LICENSES", "cmake/*", "core/*", "lua/*", "syntaxes/*"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "core/include/sluice.h"))  # the only place of the version
        self.version = ".".join(re.findall(r"define SLUICE_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)", header))

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(variables={"SLUICE_BUILD_TESTS": "OFF", "SLUICE_BUILD_COMMAND": "OFF", "SLUICE_BUILD_LUA_MODULES": "OFF"})
        cmake.build(target="sluice_static")
        cmake.build(target="sluice")

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["sluice"]
        self.cpp_info.set_property("cmake_target_name", "sluice::sluice")
        if self.settings.os != "Windows":
            self.cpp_info.system_libs = ["m", "dl"]
