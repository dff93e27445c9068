"""What people install is the wheel, not this folder: it is built, installed afresh and used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_wheel_installs_and_works_on_its_own(tmp_path: Path) -> None:
    """A fresh virtual environment with the wheel and its declared dependencies runs the bundled benchmark."""

    def run(*words: str | Path) -> str:
        result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=280)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("eyechart-*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel)
    assert str(tmp_path) in run(python, "-c", "import eyechart; print(eyechart.__file__)")
    assert "overall" in run(tmp_path / "venv" / "bin" / "eyechart", "run", "starter", "-m", "builtin/tiny")
    listed = run(python, "-m", "pip", "list", "--format=freeze").split()
    assert not [name for name in listed if name.startswith(("torch", "pandas", "scipy"))]
