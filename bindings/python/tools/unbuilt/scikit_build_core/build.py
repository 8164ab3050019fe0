"""Stands for the real backend while sources are fetched."""

from unbuilt import get_requires_for_build_wheel, prepare_metadata_for_build_wheel  # noqa: F401
