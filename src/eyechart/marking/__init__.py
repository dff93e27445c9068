"""From answers to scores: marking runs and files of answers, explaining, checking, comparing."""
