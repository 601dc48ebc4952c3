"""Commands: each one reads its words, calls one function and prints what came of it."""
