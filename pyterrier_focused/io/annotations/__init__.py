"""Judgments with assessors, annotation tools."""
