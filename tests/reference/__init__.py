"""Slow implementations written from the definitions, to compare the fast ones with."""
