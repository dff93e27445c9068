"""The small YAML file that describes somebody's own benchmark; `eyechart init` writes one with comments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from eyechart.errors import InputError

HUB = "hub:"


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file may say. Paths are relative to it."""

    source: str  # questions.csv, or hub:organisation/dataset
    name: str = ""
    title: str = ""
    about: str = ""
    files: str | list[str] = ""  # of a hub dataset: which files
    revision: str = "main"  # of a hub dataset: branch, tag or commit
    columns: dict[str, str] = {}  # id, question, answer, image, video, choices, hint → the column's name
    media: str = ""  # the folder of pictures or videos
    prompt: str = ""  # a prompt style, or a style file of your own
    metric: str | list[str] = ""
    group: str | list[str] = ""
    cluster: str = ""  # the column that says which picture or scene questions share
    frames: Annotated[int, msgspec.Meta(ge=1)] = 16  # of each video, spread evenly
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    licence: str = ""
    folder: str = ""  # where the file lies; set when it is read

    @property
    def hub(self) -> str:
        """The hub dataset, or nothing."""
        return self.source.removeprefix(HUB) if self.source.startswith(HUB) else ""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are named, the headline first."""
        return listed(self.metric)

    @property
    def groups(self) -> tuple[str, ...]:
        """The columns that are named for grouping."""
        return listed(self.group)

    @property
    def file_patterns(self) -> tuple[str, ...]:
        """Which files of a hub dataset."""
        return listed(self.files)

    def source_path(self) -> Path:
        """The table."""
        return Path(self.folder, self.source).expanduser()

    def media_root(self) -> Path:
        """The folder that picture names are relative to: the one that is named, or the table's."""
        if self.media:
            return Path(self.folder, self.media).expanduser()
        source = self.source_path()
        return source if source.is_dir() else source.parent

    def style_path(self) -> str:
        """The prompt style; a file of the user's by its path."""
        return str(Path(self.folder, self.prompt)) if self.prompt.endswith((".yaml", ".yml")) else self.prompt

    def with_options(self, options: Mapping[str, str]) -> Recipe:
        """What the command line says goes over what the file says; its paths are relative to where we are."""
        named = {key: str(Path(value).absolute()) if key == "media" else value for key, value in options.items()}
        return msgspec.structs.replace(self, **named)


def listed(value: str | list[str]) -> tuple[str, ...]:
    """One name or several, also with commas."""
    items = value.split(",") if isinstance(value, str) else value
    return tuple(item.strip() for item in items if item.strip())


def read_recipe(path: Path) -> Recipe:
    """Read the YAML file; what is wrong in it is named by its field."""
    import yaml

    if not path.is_file():
        raise InputError(f"no such file: {path}", fix="eyechart init NAME writes one to start from")
    try:
        recipe = msgspec.convert(yaml.safe_load(path.read_text("utf-8")), Recipe)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8", why=str(error), fix="save the file as UTF-8") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path} is not YAML", why=" ".join(str(error).split())) from error
    except msgspec.ValidationError as error:
        fields = ", ".join(field for field in Recipe.__struct_fields__ if field != "folder")
        raise InputError(f"{path} cannot be used", why=str(error), fix=f"its fields are {fields}") from error
    return msgspec.structs.replace(recipe, name=recipe.name or path.stem, folder=str(path.parent))
