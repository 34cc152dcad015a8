"""Commands for assessors: assess."""
