"""Six short articles with the tags that queries name."""

from pathlib import Path

from pyterrier_focused.collection import Collection

ARTICLES = {
    "1": """<article><header><title>Lighthouses</title><id>1</id></header><bdy>
<p>A lighthouse guides ships at night.</p>
<sec><st>Lamps</st><p>The lamp burned whale oil. Oil was dear.</p><p>Later lamps used electricity.</p>
<ss1><st>Lenses</st><p>Fresnel made a lens of glass rings. The lens throws the light far.</p></ss1></sec>
<sec><st>Keepers</st><p>A keeper trimmed the wick of the lamp by night.</p><yr>1850</yr></sec>
</bdy></article>""",
    "2": """<article><header><title>Harbours</title><id>2</id></header><bdy>
<p>A harbour shelters ships from the storm.</p>
<sec><st>Piers</st><p>A pier of stone breaks the waves.</p></sec>
<sec><st>Lights</st><p>A lamp on the pier shows the entrance at night.</p><yr>1920</yr></sec>
</bdy></article>""",
    "3": """<article><header><title>Whales</title><id>3</id></header><bdy>
<p>A whale is a mammal of the sea.</p>
<sec><st>Hunting</st><p>Whalers boiled the blubber for oil.</p><p>The oil lit the lamps of the cities.</p></sec>
<sec><st>Café culture</st><p>Ελληνικά καφενεία, 東京の喫茶店 and Ærø.</p></sec>
</bdy></article>""",
    "4": """<article><header><title>Glass</title><id>4</id></header><bdy>
<sec><st>Making</st><p>Glass is sand that was molten.</p><p>A lens of glass bends light.</p></sec>
</bdy></article>""",
    "5": """<article><header><title>Bridges</title><id>5</id></header><bdy>
<p>A bridge crosses water.</p><sec><st>Stone</st><p>Stone arches carry the road.</p></sec></bdy></article>""",
    "6": """<article><header><title>Clocks</title><id>6</id></header><bdy>
<p>A clock tells the time.</p><sec><st>Gears</st><p>Brass wheels turn the hands.</p></sec></bdy></article>""",
}


def build_collection(folder: Path) -> Collection:
    """Build the collection of the articles in the new folder *folder*."""
    source = folder / "xml"
    source.mkdir(parents=True)
    for docno, xml in ARTICLES.items():
        (source / f"{docno}.xml").write_text(xml, encoding="utf-8")
    return Collection.build(source, folder / "collection", verbose=False)
