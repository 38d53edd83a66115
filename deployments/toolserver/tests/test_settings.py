"""What an operator sets, and how a slip is told."""

from pathlib import Path

import pytest

from toolserver.settings import PREFIX, Settings


def read(**values: str) -> Settings:
    return Settings.read({PREFIX + name: value for name, value in values.items()})


def test_without_any_it_serves_this_machine_alone():
    settings = read()
    assert settings.host == "127.0.0.1"
    assert settings.token.get_secret_value() == ""
    assert settings.weights is None


def test_all_come_from_the_environment():
    settings = read(PORT="9", TIER="full", MEMORY="2048", WEIGHTS="/weights", MAX_WAITING="3", PATIENCE="0.5", TOKEN="s")
    assert (settings.port, settings.tier, settings.memory, settings.max_waiting, settings.patience) == (9, "full", 2048, 3, 0.5)
    assert settings.weights == Path("/weights")
    assert settings.token.get_secret_value() == "s"


def test_models_are_named_with_commas_or_blanks():
    assert read(ONLY="a/b, c/d\te/f,").only == ["a/b", "c/d", "e/f"]


def test_an_empty_variable_is_as_one_that_is_not_there():
    assert read(ONLY="", PORT="", WEIGHTS="") == read()


def test_other_variables_are_none_of_its_business():
    assert Settings.read({"PATH": "/bin", "HF_TOKEN": "s"}) == read()


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "70000"), ("PORT", "http"), ("TIER", "huge"), ("MEMORY", "-1"), ("REPLICAS", "0"), ("KEEP", "0"), ("LOG", "loud")],
)
def test_a_wrong_value_is_told_by_its_name_and_not_repeated(name, value):
    with pytest.raises(ValueError, match=PREFIX + name) as caught:
        read(**{name: value})
    if value not in ("-1", "0"):
        assert value not in str(caught.value)


def test_a_slip_in_a_name_is_not_passed_over():
    with pytest.raises(ValueError, match="TOOLSERVER_WEIGTHS"):
        read(WEIGTHS="/weights")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "toolserver"])
def test_others_are_let_in_only_with_a_token(host):
    with pytest.raises(ValueError, match="TOOLSERVER_TOKEN"):
        read(HOST=host)
    assert read(HOST=host, TOKEN="s").host == host


def test_a_token_is_not_shown_where_settings_are():
    settings = read(TOKEN="hunter2")
    assert "hunter2" not in f"{settings} {settings!r} {settings.model_dump()}"
