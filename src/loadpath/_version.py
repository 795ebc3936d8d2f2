"""The version of the library, which the build reads, too."""

__version__ = "0.1.0"
