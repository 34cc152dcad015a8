"""Write pyterrier_focused/pt_docs/licences.md: which extra brings which packages, under which licences.

Run it where all extras are installed: `pip install -e '.[all]' packaging`.
"""

import re
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PAGE = Path(__file__).parents[1] / "pyterrier_focused" / "pt_docs" / "licences.md"
OURS = "pyterrier-focused"
SHORT = {"MIT License": "MIT", "BSD License": "BSD", "Apache Software License": "Apache", "Apache License": "Apache"}
# Licences that ask something of those who pass the packages on are named first.
ASKING = ("GPL", "LGPL", "MPL", "Proprietary")
HEADER = """# Licences of what the extras bring

pyterrier_focused is under the MIT licence. Each extra installs packages of others under licences of their own; `all`
brings all. The tables say what the packages' metadata said of the versions that were installed when they were written,
on Linux; other versions and platforms may bring other packages. `python .ci/licences.py` writes this page again where
`.[all]` is installed.

| extra | packages | GPL, LGPL | MPL, proprietary |
|---|---|---|---|
"""


def find_packages(extra: str) -> dict[str, Distribution]:
    """Return all packages that the extra needs, "" for none, with what these need in turn."""
    found: dict[str, Distribution] = {}
    waiting = [(OURS, extra)]
    seen = set(waiting)
    while waiting:
        name, wanted = waiting.pop()
        found[name] = distribution(name)
        for line in found[name].requires or ():
            needed = Requirement(line)
            if needed.marker and not needed.marker.evaluate({"extra": wanted}):
                continue
            # A package's own requirements hold in all its extras.
            new = {(canonicalize_name(needed.name), extra) for extra in ("", *needed.extras)} - seen
            seen |= new
            waiting += new
    return {name: found[name] for name in found if name != OURS}


def name_licence(package: Distribution) -> str:
    """Return the licence that a package's metadata name, in a few words."""
    metadata = package.metadata
    names = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier", []) if line.startswith("License ::")]
    names = [re.sub(r".*\((.*)\)", r"\1", name) for name in names]
    text = metadata.get("License-Expression") or "; ".join(SHORT.get(name, name) for name in names)
    text = text or metadata.get("License", "not said").strip().split("\n")[0]
    return SHORT.get(text, text)


def place_licence(licence: str) -> int:
    """Return the place of a licence among those that ask something, after them if it is none."""
    found = re.search("LGPL|GPL|MPL|Proprietary", licence)
    return ASKING.index(found[0]) if found else len(ASKING)


def write_page() -> str:
    """Return the page: a table of extras, and one of packages."""
    extras = set(distribution(OURS).metadata.get_all("Provides-Extra", [])) - {"all", "docs", "test"}
    base = find_packages("")
    brought = {"": base} | {extra: find_packages(extra) for extra in sorted(extras)}
    packages = {name: package for group in brought.values() for name, package in group.items()}
    licences = {name: name_licence(package) for name, package in packages.items()}
    lines = []
    for extra, group in brought.items():
        added = sorted(group.keys() - (base if extra else {}))
        places = {name: place_licence(licences[name]) for name in added}
        asking = [[f"{name} ({licences[name]})" for name in added if places[name] in kind] for kind in ((0, 1), (2, 3))]
        title = f"`{extra}`" if extra else "none"
        line = f"| {title} | {len(added)} | {'; '.join(asking[0])} | {'; '.join(asking[1])} |"
        lines.append((min(places.values()), line))
    lines = [line for _, line in sorted(lines, key=lambda pair: pair[0])]
    lines += ["", "## Packages", "", "| package | licence | comes with |", "|---|---|---|"]
    for name in sorted(packages, key=lambda name: (place_licence(licences[name]), name)):
        by = "always" if name in base else ", ".join(f"`{extra}`" for extra, group in brought.items() if name in group)
        lines.append(f"| {name} {packages[name].version} | {licences[name]} | {by} |")
    return HEADER + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
