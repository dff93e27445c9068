"""One file per command; `main` finds it, `parser` reads its flags."""
