"""The benchmark's one table, of tiny models on a CPU."""

from __future__ import annotations

import sys

import pytest

import bench


@pytest.fixture(scope="module")
def table() -> list[list[str]]:
    """What python bench.py --small prints, in cells."""
    import contextlib
    import io

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        bench.main(["--small"])
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in printed.getvalue().strip().splitlines()]


def test_it_prints_one_table_of_markdown(table: list[list[str]]) -> None:
    head, rule, *rows = table
    assert head == ["CPU", *bench.HEAD[1:]]
    assert set(rule) == {"---", "---:"}
    assert {len(row) for row in table} == {len(bench.HEAD)}
    assert [row[0] for row in rows] == ["text_to_image, tiny SDXL", "object_detection, tiny RT-DETRv2"]


def test_each_number_is_one_and_more_than_nothing(table: list[list[str]]) -> None:
    for row in table[2:]:
        for name, cell in zip(bench.HEAD[1:], row[1:], strict=True):
            assert float(cell) > 0, name


def test_the_ratio_is_that_of_the_rates(table: list[list[str]]) -> None:
    column = bench.HEAD.index
    for row in table[2:]:
        rates = float(row[column("served/s")]) / float(row[column("direct/s")])
        assert float(row[column("ratio")]) == pytest.approx(rates, rel=0.01)


def test_without_a_gpu_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["torch"].cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit, match="There is no GPU here"):
        bench.main([])
