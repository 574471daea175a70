"""The recipe for conda, read and rendered by the builder itself: it is one of its schema, and asks
for what pyproject.toml asks for.
"""

import tomllib
from pathlib import Path

import pytest

rattler_build = pytest.importorskip("rattler_build")
pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"torch": "pytorch", "matplotlib": "matplotlib-base"}  # what conda-forge calls them


def test_the_builder_renders_the_recipe_with_what_the_package_needs():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    recipe = rattler_build.Stage0Recipe.from_file(str(ROOT / "recipe" / "recipe.yaml"))
    (variant,) = recipe.render(rattler_build.VariantConfig())
    made = variant.recipe
    assert str(made.package.name) == stated["name"]
    assert str(made.package.version) == stated["version"]
    needs = {f"python {stated['requires-python']}"}
    for each in stated["dependencies"]:
        name, _, least = each.partition(">=")
        needs.add(f"{ELSEWHERE.get(name, name)} >={least}")
    assert {str(each) for each in made.requirements.run} == needs
