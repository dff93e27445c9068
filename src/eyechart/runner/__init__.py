"""The one loop: what to ask, in which order, how many at once; everything that comes back goes to the journal."""
