"""How a collection is stored: places, Arrow files, hash indexes, checksums."""
