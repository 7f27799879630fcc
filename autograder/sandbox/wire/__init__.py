"""The protocol between judge and kernel: plain values as bytes.

Both sides use this folder; in the sandbox it is alone, so it imports nothing else of this project. Nothing is pickled: a
frame holds only the kinds listed in ``decode.READERS``, each with an exact type, a bounded size and no code. Anything else
raises ``WireError``. A frame on the stream is an 8-byte big-endian length and as many bytes of one encoded value; an
encoded value is a tag byte and its body.
"""

from .decode import decode
from .encode import encode
from .generators import generator_from, generator_state
from .limits import LIMIT_BYTES, NUMPY_DTYPES, TORCH_DTYPES, Generator, Handle, WireError

__all__ = [
    "LIMIT_BYTES",
    "NUMPY_DTYPES",
    "TORCH_DTYPES",
    "Generator",
    "Handle",
    "WireError",
    "decode",
    "encode",
    "generator_from",
    "generator_state",
]
