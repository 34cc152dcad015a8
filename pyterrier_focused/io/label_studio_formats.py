"""Label Studio's format, and how the beginning of a file tells it."""

from .base import Format
from .label_studio import read_label_studio, write_label_studio

FORMATS = (
    Format(
        name="label-studio",
        kind="qrels",
        layout="JSON of Label Studio",
        looks_like=lambda head: head.is_json and {b"annotations", b"data"} <= head.json_keys,
        read=read_label_studio,
        write=write_label_studio,
    ),
)
