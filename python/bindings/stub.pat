# nanobind leaves it out of type stubs.
_core.__suffix__:
    __version__: str
