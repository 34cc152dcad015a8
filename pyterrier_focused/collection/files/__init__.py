"""Storage, Arrow files, hash index, checksums."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "arrow_files": [
            "FileLayout",
            "damaged",
        ],
        "checksums": [
            "read_sealed",
            "seal",
            "sha256_of",
            "verify_checksums",
            "write_checksums",
        ],
        "hash_index": [
            "ALIASES",
            "DOCNOS",
            "Duplicate",
            "HashIndex",
            "INDEXES",
            "TARGETS",
            "TITLES",
            "write_indexes",
        ],
        "shard": [
            "Shard",
            "hash_titles",
            "names",
            "read_summary",
            "write_shard",
        ],
        "storage": [
            "FileInfo",
            "StoragePath",
        ],
    },
)
