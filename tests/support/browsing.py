"""Waiting for pages in a browser."""

import time


def until(driver, script, seconds=10):
    """Wait until an expression is true, and tell whether it is."""
    end = time.monotonic() + seconds
    while True:
        found = driver.execute_script(f"return Boolean({script})")
        if found or time.monotonic() > end:
            return found
        time.sleep(0.02)
