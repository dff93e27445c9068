"""Every benchmark on small data in its published layout: what is asked, with which picture, grouped and shared how."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from layouts import (
    jpeg,
    mmsi_rows,
    real_data,
    spatial_rows,
    vqa_lists,
    vsi_rows,
    write_coco_pictures,
    write_parquet,
    write_video,
)

from eyechart.benchmarks import BENCHMARKS, Benchmark, get_benchmark, row_reader
from eyechart.errors import InputError, ModelError, SetupError, UsageError
from eyechart.records import Sample


def samples(benchmark: Benchmark, *, media: bool = True) -> list[Sample]:
    """All questions, in order."""
    return [benchmark.source.fetch(entry, media=media) for entry in benchmark.source.index().entries]


def test_vqa_joins_questions_humans_and_pictures(vqa_folder: Path) -> None:
    """The official files: ten answers in order, tags, COCO's file name, questions on one picture together."""
    benchmark = get_benchmark("vqav2", {"data": str(vqa_folder)})
    index = benchmark.source.index()
    assert [entry.group for entry in index.entries] == ["100", "100", "101", "101", "102", "102"]
    first = benchmark.source.fetch(index.entries[0])
    assert first.id == "100000"
    assert first.references == ("yes",) * 8 + ("other", "else")
    assert first.tags == {
        "question_type": "is it",
        "answer_type": "yes/no",
        "multiple_choice_answer": "yes",
        "kind": "yes/no",
    }
    assert first.media[0].path == str(vqa_folder / "val2014" / "COCO_val2014_000000000100.jpg")
    assert Path(first.media[0].path).read_bytes() == jpeg((100, 10, 10))
    assert [sample.tags["kind"] for sample in samples(benchmark, media=False)][:4] == [
        "yes/no",
        "color",
        "count",
        "other",
    ]
    assert benchmark.source.fetch(index.entries[0], media=False).media == ()


def test_vqa_annotations_in_another_order_find_their_questions(vqa_folder: Path) -> None:
    """Joined by question_id, not by place; what does not match is counted with examples."""
    path = vqa_folder / "v2_mscoco_val2014_annotations.json"
    content = json.loads(path.read_text())
    content["annotations"].reverse()
    path.write_text(json.dumps(content))
    golds = [s.tags["multiple_choice_answer"] for s in samples(get_benchmark("vqav2", {"data": str(vqa_folder)}))]
    assert golds == ["yes", "red", "2", "here", "yes", "red"]
    content["annotations"].pop()
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="1 of 6 questions have no annotation"):
        get_benchmark("vqav2", {"data": str(vqa_folder)}).source.index()
    content["annotations"].append(content["annotations"][0])
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="annotates a question twice"):
        get_benchmark("vqav2", {"data": str(vqa_folder)}).source.index()


def test_vqa_from_the_hubs_parquet_is_the_same_benchmark(vqa_folder: Path, tmp_path: Path) -> None:
    """The same questions from parquet with picture structs have the same ids, texts, answers and fingerprint."""
    questions, annotations = vqa_lists()
    rows = [
        {**{k: v for k, v in {**a, **q}.items() if k != "coco_split"}, "image": {"bytes": jpeg(), "path": None}}
        for q, a in zip(questions, annotations, strict=True)
    ]
    write_parquet(tmp_path / "hub" / "data" / "validation-00000-of-00001.parquet", rows)
    from_hub = get_benchmark("vqav2", {"data": str(tmp_path / "hub")})
    official = get_benchmark("vqav2", {"data": str(vqa_folder)})
    assert from_hub.source.index().data == official.source.index().data
    pictured = samples(from_hub)
    assert [(s.id, s.question, s.references, dict(s.tags)) for s in pictured] == [
        (s.id, s.question, s.references, dict(s.tags)) for s in samples(official)
    ]
    assert pictured[0].media[0].data == jpeg()
    assert pictured[0].media[0].name == "COCO_val2014_000000000100.jpg"


def test_records_without_answer_ids_are_told_apart_as_the_official_program_does(vqa_folder: Path) -> None:
    """Equal records are one to the official program; the tag says which are."""
    read = row_reader("vqav2")
    assert read is not None
    row = {"question_id": 1, "image_id": 2, "question": "?", "answers": [{"answer": "a"}, {"answer": "b"}]}
    assert read(row).tags["record_identity"] == "0,0"
    row["answers"] = [{"answer": "a", "answer_id": 1}, {"answer": "b", "answer_id": 1, "answer_confidence": "yes"}]
    assert "record_identity" not in read(row).tags
    row["answers"] = [{"answer": "a", "answer_id": 1}, {"answer": "b", "answer_id": 1}, {"answer": "a", "answer_id": 2}]
    assert read(row).tags["record_identity"] == "0,0,1"


def test_test_splits_have_questions_and_no_answers(tmp_path: Path) -> None:
    """A split for submission runs without annotations and says so."""
    questions, _ = vqa_lists()
    (tmp_path / "v2_OpenEnded_mscoco_test-dev2015_questions.json").write_text(json.dumps({"questions": questions}))
    benchmark = get_benchmark("vqav2:test-dev", {"data": str(tmp_path)})
    sample = benchmark.source.fetch(benchmark.source.index().entries[0])
    assert sample.references == ()
    assert sample.media[0].name == "COCO_val2014_000000000100.jpg"  # this made-up file says its pictures are val2014's
    assert "not public" in benchmark.note


def test_vqacp_takes_each_picture_from_its_own_split(tmp_path: Path) -> None:
    """Bare lists, and pictures in COCO's two folders as `coco_split` says."""
    questions, annotations = vqa_lists()
    questions[0]["coco_split"] = "train2014"
    (tmp_path / "vqacp_v2_test_questions.json").write_text(json.dumps(questions))
    (tmp_path / "vqacp_v2_test_annotations.json").write_text(json.dumps(annotations))
    write_coco_pictures(tmp_path / "images" / "train2014", [100], "train2014")
    benchmark = get_benchmark("vqacp_v2", {"data": str(tmp_path), "images": str(tmp_path / "images")})
    media = [sample.media[0] for sample in samples(benchmark)]
    assert media[0].path.endswith("images/train2014/COCO_train2014_000000000100.jpg")
    assert Path(media[0].path).is_file()
    assert media[1].path.endswith("COCO_val2014_000000000100.jpg")
    with pytest.raises(InputError, match="does not hold the files of vqacp_v1"):
        get_benchmark("vqacp_v1", {"data": str(tmp_path)}).source.index()


def test_tdiuc_groups_by_its_types(tmp_path: Path) -> None:
    """TDIUC's files in their folders."""
    questions, annotations = vqa_lists()
    for folder, name, content in (
        ("Questions", "OpenEnded_mscoco_val2014_questions.json", {"questions": questions}),
        ("Annotations", "mscoco_val2014_annotations.json", {"annotations": annotations}),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(json.dumps(content))
    benchmark = get_benchmark("tdiuc", {"data": str(tmp_path)})
    assert {entry.stratum for entry in benchmark.source.index().entries} == {"is it", "what color", "how many", "where"}
    assert benchmark.headline == "mpt_arithmetic"


def test_vsibench_finds_videos_in_folders_and_in_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`dataset/scene_name.mp4`, on disk or in a zip that is unpacked video by video; a missing one keeps its path."""
    monkeypatch.setenv("EYECHART_CACHE", str(tmp_path / "cache"))
    write_parquet(tmp_path / "test_debiased.parquet", vsi_rows()[:4])
    write_parquet(tmp_path / "test_pruned.parquet", vsi_rows()[4:])
    write_video(tmp_path / "scannet" / "scene0000_00.mp4")
    write_video(tmp_path / "other.mp4")
    with zipfile.ZipFile(tmp_path / "scannet.zip", "w") as archive:
        archive.write(tmp_path / "other.mp4", "scannet/scene0001_00.mp4")
    benchmark = get_benchmark("vsibench", {"data": str(tmp_path)})
    media = [sample.media[0] for sample in samples(benchmark)]
    assert [entry.group for entry in benchmark.source.index().entries][::2] == [f"scene000{i}_00" for i in range(3)]
    assert media[0].path == str(tmp_path / "scannet" / "scene0000_00.mp4")
    assert Path(media[2].path).parents[2] == tmp_path / "cache" / "vsibench"
    assert media[2].path.endswith("/scannet/scene0001_00.mp4")
    assert Path(media[2].path).read_bytes() == (tmp_path / "other.mp4").read_bytes()
    assert media[4].path == str(tmp_path / "scannet" / "scene0002_00.mp4")
    assert not Path(media[4].path).exists()
    assert [(s.choices, s.references) for s in samples(benchmark)][:2] == [
        ({"A": "sofa", "B": "lamp", "C": "bed", "D": "door"}, ("B",)),
        ({}, ("4",)),
    ]
    assert len(samples(get_benchmark("vsibench:debiased", {"data": str(tmp_path)}))) == 4
    assert len(samples(get_benchmark("vsibench:pruned", {"data": str(tmp_path)}))) == 2


@pytest.mark.parametrize("name", ["../scene.mp4", "/scene.mp4", "a/../../scene.mp4", "..\\scene.mp4"])
def test_an_archive_that_would_write_outside_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One clear line, and nothing is unpacked."""
    monkeypatch.setenv("EYECHART_CACHE", str(tmp_path / "cache"))
    write_parquet(tmp_path / "test_debiased.parquet", vsi_rows())
    with zipfile.ZipFile(tmp_path / "scannet.zip", "w") as archive:
        archive.writestr("scannet/scene0000_00.mp4", "x")
        archive.writestr(name, "x")
    benchmark = get_benchmark("vsibench:debiased", {"data": str(tmp_path)})
    with pytest.raises(InputError, match="is refused"):
        samples(benchmark)
    assert not (tmp_path / "cache").exists()


def test_the_real_vsibench_loads_whole() -> None:
    """All 5,130 questions about 288 scenes in ten types, options as numpy wrote them."""
    benchmark = get_benchmark("vsibench", {"data": str(real_data() / "vsi_bench")})
    index = benchmark.source.index()
    assert len(index.entries) == 5130
    assert len({entry.group for entry in index.entries}) == 288
    counts = Counter(entry.stratum for entry in index.entries)
    assert len(counts) == 10
    assert counts["object_size_estimation"] == 953
    for sample in samples(benchmark, media=False):
        number = sample.tags["question_type"] in (
            "object_counting",
            "object_abs_distance",
            "object_size_estimation",
            "room_size_estimation",
        )
        assert bool(sample.choices) is not number
        assert number or sample.references[0] in sample.choices
        assert all(text and "'" not in text[:1] for text in sample.choices.values())


def test_real_vqa_questions_find_their_real_photos() -> None:
    """Six questions of VQA v2 and the COCO photos that they are about."""
    folder = real_data() / "images" / "coco_train2014"
    benchmark = get_benchmark(
        "vqav2:train",
        {"questions": str(folder / "matched_questions.json"), "annotations": str(folder / "matched_annotations.json")},
    )
    asked = samples(benchmark)
    assert len(asked) == 6
    assert all(Path(sample.media[0].path).is_file() and len(sample.references) == 10 for sample in asked)


def test_mmsi_reads_options_out_of_the_question(tmp_path: Path) -> None:
    """Pictures in order, the category as a tag, one category as a part; the question trimmed as the prompt demands."""
    write_parquet(tmp_path / "MMSI_Bench.parquet", mmsi_rows())
    benchmark = get_benchmark("mmsi", {"data": str(tmp_path)})
    first = samples(benchmark)[0]
    assert first.question == "Which way? Options: A: left, B: right, C: up, D: down"
    assert first.choices == {"A": "left", "B": "right", "C": "up", "D": "down"}
    assert [media.data for media in first.media] == [jpeg((0, 0, 0)), jpeg((0, 0, 0))]
    assert [media.name for media in first.media] == ["mmsi-0#1", "mmsi-0#2"]
    part = get_benchmark("mmsi:cam_obj", {"data": str(tmp_path)})
    assert [s.tags["category"] for s in samples(part)] == ["Positional Relationship (Cam.–Obj.)"] * 2
    assert {s.tags["category"] for s in samples(get_benchmark("mmsi_direct", {"data": str(tmp_path)}))} == {
        "Attribute (Appr.)",
        "Attribute (Meas.)",
        "Motion (Cam.)",
        "MSR",
    }


def test_the_two_stage_tasks_have_questions_and_say_what_is_missing(tmp_path: Path) -> None:
    """Five names with a method that is not there yet, said in words."""
    write_parquet(tmp_path / "MMSI_Bench.parquet", mmsi_rows())
    benchmark = get_benchmark("mmsi_msr_visual_cot", {"data": str(tmp_path)})
    assert benchmark.method == "visual_cot"
    assert "not there yet" in benchmark.note
    assert [sample.tags["category"] for sample in samples(benchmark)] == ["MSR"] * 2


@pytest.mark.parametrize(
    ("name", "count", "modality"),
    [
        ("spatialeval", 20, "image"),
        ("spatialeval:vqa:mazenav", 6, "image"),
        ("spatialeval:mazenav:vqa", 6, "image"),
        ("spatialeval:tqa", 20, "text"),
        ("spatialeval:vtqa:all", 20, "image"),
        ("spatialeval:spatialreal", 2, "image"),
    ],
)
def test_spatialeval_by_modality_and_task(tmp_path: Path, name: str, count: int, modality: str) -> None:
    """The task is the beginning of the id; only the text-only set has no pictures."""
    for mode in ("tqa", "vqa", "vtqa"):
        write_parquet(tmp_path / mode / "test-00000-of-00001.parquet", spatial_rows(mode))
    benchmark = get_benchmark(name, {"data": str(tmp_path)})
    asked = samples(benchmark)
    assert (len(asked), benchmark.modality) == (count, modality)
    assert all(len(sample.media) == (modality == "image") for sample in asked)
    assert asked[0].choices == {"A": "North", "B": "South", "C": "East", "D": "West"}
    assert asked[0].tags["oracle_option"] == "A"
    assert get_benchmark(benchmark.id, {"data": str(tmp_path)}).source.index() == benchmark.source.index()


def test_every_benchmark_says_what_it_is_without_its_data() -> None:
    """Listing needs nothing downloaded: titles, licences, sizes, headline and prompts are there; nothing is opened."""
    for name in BENCHMARKS.names():
        benchmark = get_benchmark(name)
        assert benchmark.title
        assert benchmark.licence
        assert benchmark.home
        assert benchmark.size
        assert benchmark.metrics
        assert benchmark.about.endswith(".")


@pytest.mark.parametrize("name", ["vqav2", "vqacp_v2", "tdiuc", "vsibench", "mmsi", "spatialeval:vqa"])
def test_missing_data_are_an_error_of_the_surroundings_with_the_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offline and not downloaded: which command, of what size, and how to point at own files."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(SetupError) as error:
        get_benchmark(name).source.index()
    assert "data=DIR" in error.value.fix
    assert f"eyechart data get {name}" in error.value.fix or "download" in error.value.fix


def test_wrong_columns_duplicates_parts_and_options_are_each_one_line(tmp_path: Path) -> None:
    """Bad input is named: found and expected columns, both rows of an id, the nearest name."""
    write_parquet(tmp_path / "vqa.parquet", [{"id": "spatialmap.vqa.0.0", "answer": "A"}])
    with pytest.raises(InputError, match="no columns 'oracle_answer'") as columns:
        get_benchmark("spatialeval:vqa", {"data": str(tmp_path)}).source.index()
    assert "found: id, answer" in str(columns.value)
    assert "expected: id, oracle_answer" in str(columns.value)
    write_parquet(tmp_path / "vqa.parquet", [spatial_rows()[0], spatial_rows()[0]])
    with pytest.raises(InputError, match="stands in rows 1 and 2"):
        get_benchmark("spatialeval:vqa", {"data": str(tmp_path)}).source.index()
    with pytest.raises(UsageError, match="did you mean mazenav"):
        get_benchmark("spatialeval:mazenv")
    with pytest.raises(UsageError, match="unknown option of benchmark vsibench 'frame'"):
        get_benchmark("vsibench", {"frame": "8"})
    with pytest.raises(UsageError, match="not a whole number"):
        get_benchmark("vsibench", {"frames": "many"})
    with pytest.raises(UsageError, match="has no parts"):
        get_benchmark("mmsi_msr:motion_obj")
    shutil.rmtree(tmp_path)


def test_a_gold_letter_that_no_option_has_is_refused_with_its_row(tmp_path: Path) -> None:
    """No model could be right there."""
    rows = vsi_rows()
    rows[2]["ground_truth"] = "E"
    write_parquet(tmp_path / "test_debiased.parquet", rows)
    with pytest.raises(InputError, match=r"row 3: the answer 'E' is not among the options"):
        get_benchmark("vsibench:debiased", {"data": str(tmp_path)}).source.index()


@pytest.mark.parametrize("answers", ["yes", 5, ["yes"], [{"said": "yes"}], [None]])
def test_annotations_without_peoples_answers_are_refused_with_their_row(answers: object, tmp_path: Path) -> None:
    """What VQA publishes is a list of objects."""
    questions, annotations = vqa_lists()
    annotations[3]["answers"] = answers
    files = {"questions": tmp_path / "q.json", "annotations": tmp_path / "a.json"}
    for path, rows in zip(files.values(), (questions, annotations), strict=True):
        path.write_text(json.dumps(rows))
    with pytest.raises(InputError, match=r"row 4: column 'answers' holds something else"):
        get_benchmark("vqav2", {name: str(path) for name, path in files.items()}).source.index()


def test_a_picture_without_cocos_number_fails_its_question_alone(tmp_path: Path) -> None:
    """The other questions have their pictures."""
    questions, _ = vqa_lists(split="test2015")
    questions[0]["image_id"] = "abc"
    (tmp_path / "q.json").write_text(json.dumps(questions))
    source = get_benchmark("vqav2:test", {"questions": str(tmp_path / "q.json")}).source
    first, second, *_ = source.index().entries
    with pytest.raises(ModelError, match="no picture of COCO's has the number 'abc'"):
        source.fetch(first)
    assert source.fetch(second).media[0].name == "COCO_test2015_000000000100.jpg"


def test_sample_mode_is_the_bundled_benchmark() -> None:
    """`--mode sample` needs no data."""
    assert get_benchmark("vqav2", {"mode": "sample"}).name == "starter"


@pytest.mark.parametrize("name", ["vqav2:val", "vqacp_v2:test", "tdiuc:val", "vsibench:full"])
def test_the_default_part_is_the_benchmark_itself(name: str) -> None:
    """Both spellings name one thing, so that they continue one run."""
    assert get_benchmark(name).id == name.partition(":")[0]
