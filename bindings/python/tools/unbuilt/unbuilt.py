"""A build backend that builds nothing: `pip download` asks a source package for its metadata, and this returns the package's own
(PKG-INFO). So pip fetches the sources of a package without its build tools and without running its code."""

import email
import os
import shutil


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        information = email.message_from_file(file)
    name = f"{information['Name'].replace('-', '_')}-{information['Version']}.dist-info"
    folder = os.path.join(metadata_directory, name)
    os.makedirs(folder)
    shutil.copy("PKG-INFO", os.path.join(folder, "METADATA"))
    with open(os.path.join(folder, "WHEEL"), "w", encoding="utf-8") as file:
        file.write("Wheel-Version: 1.0\nGenerator: unbuilt\nRoot-Is-Purelib: true\n")
    return name
