"""Dumps, archives, ZIM: raw articles one by one."""
