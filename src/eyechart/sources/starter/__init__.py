"""Pictures drawn from a seed, with questions whose answers are known because the picture was made for them.

`StarterSource` serves the benchmark; `compose` draws single pages of any setting, for training with other seeds.
Seeds of the benchmark are whole numbers; text such as "train/7" can never meet them.
"""

from __future__ import annotations

from eyechart.sources.starter.page import GENERATOR, KINDS, SUBJECTS, Page, compose, page
from eyechart.sources.starter.source import StarterSource

__all__ = ["GENERATOR", "KINDS", "SUBJECTS", "Page", "StarterSource", "compose", "page"]
