"""Where samples come from: files, folders, the hub, or a generator. Read lazily, checked at the edge."""
