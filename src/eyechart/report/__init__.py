"""From what was marked to what people read: tables, sentences, files."""
