"""Maps, mazes and grids of animals drawn from a seed: each as text, as a picture, or as both, in SpatialEval's form.

Apart from the other kinds of the bundled benchmark: they change no question of it.
"""

from __future__ import annotations

from eyechart.sources.starter.spatial.table import FAMILIES, GENERATOR, MODES, SpatialTable

__all__ = ["FAMILIES", "GENERATOR", "MODES", "SpatialTable"]
