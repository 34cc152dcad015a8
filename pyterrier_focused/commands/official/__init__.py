"""Drop-ins for official programs."""
