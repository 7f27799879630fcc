"""Plain values across the wall, as bytes: what the judge and the kernel say to each other.

Both sides use this folder; in the sandbox it stands alone, so it imports nothing of ours. Nothing is ever pickled: a
frame holds only the kinds listed in ``read.READERS``, each with an exact type, a bounded size and no code. Whatever
breaks a rule raises ``WireError``. A frame on the stream is an 8-byte big-endian length and as many bytes of one encoded
value; an encoded value is a tag byte and its body.
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
