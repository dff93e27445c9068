"""Folders that hold small data in the published layouts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from layouts import vqa_lists, write_coco_pictures


@pytest.fixture
def vqa_folder(tmp_path: Path) -> Path:
    """The official VQA v2 validation files, with pictures in their folder."""
    folder = tmp_path / "vqa"
    folder.mkdir()
    questions, annotations = vqa_lists()
    head = {"info": {"version": "2.0"}, "license": {"name": "CC"}, "data_subtype": "val2014"}
    (folder / "v2_OpenEnded_mscoco_val2014_questions.json").write_text(
        json.dumps({**head, "task_type": "Open-Ended", "questions": questions})
    )
    (folder / "v2_mscoco_val2014_annotations.json").write_text(json.dumps({**head, "annotations": annotations}))
    write_coco_pictures(folder / "val2014", [100, 101, 102])
    return folder
