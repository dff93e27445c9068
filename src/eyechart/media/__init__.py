"""Pictures and videos: found, decoded, sized, sampled, encoded and kept, with a record of every change."""
