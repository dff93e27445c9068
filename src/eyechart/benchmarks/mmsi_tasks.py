"""Five categories of MMSI-Bench as tasks of their own, each worded for what it asks.

`mmsi_attribute_appr` … `mmsi_msr` are put directly, `mmsi_direct` is the five together. The `…_visual_cot` tasks hold
the questions and the prompts of a method in two stages: draw what helps, then answer with the drawing.
"""

from __future__ import annotations

from functools import partial

from eyechart.benchmarks.base import Benchmark
from eyechart.benchmarks.mmsi import CATEGORIES, categories, sample_from_row
from eyechart.errors import UsageError

__all__ = ["sample_from_row"]

TASKS = ("attribute_appr", "attribute_meas", "motion_obj", "motion_cam", "msr")
_TWO_STAGES = (
    "it is asked in two stages, drawing first: its questions and prompts are here, the method is not there yet"
)


def task(name: str, wanted: tuple[str, ...], part: str = "", *, data: str = "", revision: str = "main") -> Benchmark:
    """One direct task, or all five."""
    _has_no_parts(name, part)
    return categories(name, wanted, style="mmsi_tasks.v1", data=data, revision=revision)


def drawn(name: str, wanted: tuple[str, ...], part: str = "", *, data: str = "", revision: str = "main") -> Benchmark:
    """One task in two stages."""
    _has_no_parts(name, part)
    return categories(
        name,
        wanted,
        style="mmsi_visual_cot.v1",
        method="visual_cot",
        data=data,
        revision=revision,
        title=f"MMSI-Bench: {', '.join(CATEGORIES[key] for key in wanted)}, drawing first (cannot be run yet)",
        note=_TWO_STAGES,
    )


def _has_no_parts(name: str, part: str) -> None:
    if part:
        raise UsageError(f"benchmark {name} has no parts", fix=f"{name}, without :{part}")


mmsi_attribute_appr = partial(task, "mmsi_attribute_appr", ("attribute_appr",))
mmsi_attribute_meas = partial(task, "mmsi_attribute_meas", ("attribute_meas",))
mmsi_motion_obj = partial(task, "mmsi_motion_obj", ("motion_obj",))
mmsi_motion_cam = partial(task, "mmsi_motion_cam", ("motion_cam",))
mmsi_msr = partial(task, "mmsi_msr", ("msr",))
mmsi_direct = partial(task, "mmsi_direct", TASKS)

mmsi_attribute_appr_visual_cot = partial(drawn, "mmsi_attribute_appr_visual_cot", ("attribute_appr",))
mmsi_attribute_meas_visual_cot = partial(drawn, "mmsi_attribute_meas_visual_cot", ("attribute_meas",))
mmsi_motion_obj_visual_cot = partial(drawn, "mmsi_motion_obj_visual_cot", ("motion_obj",))
mmsi_motion_cam_visual_cot = partial(drawn, "mmsi_motion_cam_visual_cot", ("motion_cam",))
mmsi_msr_visual_cot = partial(drawn, "mmsi_msr_visual_cot", ("msr",))
