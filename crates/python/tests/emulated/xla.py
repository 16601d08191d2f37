"""XLA's part in a call of a handler: frames made by hand, for a GPU that is not there.

The structures are those of ``xla/ffi/api/c_api.h``.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

P, Z, I32, I64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int64
EXECUTE, BUFFER, STRING = 3, 1, 4
METADATA = 1
STREAM = 0x5EA0
TYPES = {"bool": 1, "int16": 3, "int32": 4, "uint8": 6, "uint32": 8, "float16": 10, "float32": 11}


def structure(name: str, **fields: Any) -> Any:
    """A structure that begins with its size and its extensions."""
    head = [("struct_size", Z), ("extension", P)]
    return type(name, (ctypes.Structure,), {"_fields_": head + list(fields.items())})


Version = structure("Version", major=I32, minor=I32)
ErrorArguments = structure("ErrorArguments", message=ctypes.c_char_p, code=I32)
MessageArguments = structure("MessageArguments", error=P, message=ctypes.c_char_p)
DestroyArguments = structure("DestroyArguments", error=P)
StreamArguments = structure("StreamArguments", context=P, stream=P)
Create = ctypes.CFUNCTYPE(P, ctypes.POINTER(ErrorArguments))
Message = ctypes.CFUNCTYPE(None, ctypes.POINTER(MessageArguments))
Destroy = ctypes.CFUNCTYPE(None, ctypes.POINTER(DestroyArguments))
Stream = ctypes.CFUNCTYPE(P, ctypes.POINTER(StreamArguments))
Api = structure(
    "Api", version=Version, internal=P, create=Create, message=Message, destroy=Destroy,
    register=P, stream=Stream,
)  # fmt: skip
Buffer = structure("Buffer", dtype=I32, data=P, rank=I64, lengths=ctypes.POINTER(I64))
Buffers = structure("Buffers", size=I64, kinds=ctypes.POINTER(I32), items=ctypes.POINTER(P))
Attributes = structure(
    "Attributes", size=I64, kinds=ctypes.POINTER(I32), names=ctypes.POINTER(P),
    items=ctypes.POINTER(P),
)  # fmt: skip
Frame = structure(
    "Frame", api=ctypes.POINTER(Api), context=P, stage=I32, arguments=Buffers, results=Buffers,
    attributes=Attributes,
)  # fmt: skip


class Metadata(ctypes.Structure):
    _fields_ = [("struct_size", Z), ("version", Version), ("traits", ctypes.c_uint32)]


class Span(ctypes.Structure):
    _fields_ = [("start", ctypes.c_char_p), ("len", Z)]


class Base(ctypes.Structure):
    _fields_ = [("struct_size", Z), ("kind", I32), ("next", P)]


class MetadataExtension(ctypes.Structure):
    _fields_ = [("base", Base), ("metadata", P)]


class HandlerError(Exception):
    """What a handler answered."""


# Errors stay until they are destroyed.
errors: dict[int, bytes] = {}
has_stream = True


def create(arguments: Any) -> int:
    number = len(errors) + 1
    errors[number] = arguments.contents.message
    return number


def message(arguments: Any) -> None:
    arguments.contents.message = errors[arguments.contents.error]


def destroy(arguments: Any) -> None:
    del errors[arguments.contents.error]


def stream(arguments: Any) -> int:
    if not has_stream:
        errors[99] = b"no stream here"
        return 99
    arguments.contents.stream = STREAM
    return 0


API = Api(
    ctypes.sizeof(Api), None, Version(ctypes.sizeof(Version), None, 0, 1), None, Create(create),
    Message(message), Destroy(destroy), None, Stream(stream),
)  # fmt: skip


def aligned(shape: Sequence[int], dtype: Any) -> Any:
    """Memory that begins at a multiple of 16 bytes, full of what nobody has written."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.full(size + 16, 0xA5, np.uint8)
    start = -room.ctypes.data % 16
    return room[start : start + size].view(dtype).reshape(shape)


def buffers(arrays: Sequence[Any], kept: list[Any]) -> Any:
    items = []
    for array in arrays:
        name = array.dtype.name
        lengths = (I64 * max(array.ndim, 1))(*array.shape)
        dtype = TYPES.get(name, 16)
        items.append(
            Buffer(ctypes.sizeof(Buffer), None, dtype, array.ctypes.data, array.ndim, lengths)
        )
    count = max(len(items), 1)
    kinds = (I32 * count)(*[BUFFER] * len(items))
    places = (P * count)(*[ctypes.addressof(item) for item in items])
    kept += [items, kinds, places]
    return Buffers(ctypes.sizeof(Buffers), None, len(items), kinds, places)


def handler(capsule: Any) -> Callable[[Any], int | None]:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.CFUNCTYPE(P, ctypes.POINTER(Frame))(get(capsule, None))


def call(
    capsule: Any, arguments: Sequence[Any], results: Sequence[Any], config: str | None = None
) -> None:
    """Calls a handler with arrays that lie where they would lie on a device."""
    kept: list[Any] = []
    texts = [] if config is None else [config.encode()]
    names = [Span(b"config", 6) for _ in texts]
    spans = [Span(text, len(text)) for text in texts]
    attributes = Attributes(
        ctypes.sizeof(Attributes), None, len(texts), (I32 * 1)(STRING),
        (P * 1)(*[ctypes.addressof(name) for name in names]),
        (P * 1)(*[ctypes.addressof(span) for span in spans]),
    )  # fmt: skip
    frame = Frame(
        ctypes.sizeof(Frame), None, ctypes.pointer(API), None, EXECUTE,
        buffers(arguments, kept), buffers(results, kept), attributes,
    )  # fmt: skip
    error = handler(capsule)(ctypes.pointer(frame))
    if error:
        raise HandlerError(errors.pop(error).decode())


def version(capsule: Any) -> tuple[int, int]:
    """What a handler says of itself when it is registered."""
    metadata = Metadata(ctypes.sizeof(Metadata), Version(), 7)
    extension = MetadataExtension(Base(24, METADATA, None), ctypes.addressof(metadata))
    frame = Frame(ctypes.sizeof(Frame), ctypes.addressof(extension), ctypes.pointer(API))
    assert handler(capsule)(ctypes.pointer(frame)) is None and metadata.traits == 0
    return metadata.version.major, metadata.version.minor
