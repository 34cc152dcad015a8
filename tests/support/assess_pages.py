"""Articles of every kind of text that offsets go wrong in."""

from pyterrier_focused.assessment.store import PoolArticle

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def table_article():
    """An article with sections, a list and a table, as a Collection gives it: (text, elements)."""
    text, tags, starts, ends, parents = "", [], [], [], []

    def open_(tag, parent):
        tags.append(tag)
        starts.append(len(text))
        ends.append(-1)
        parents.append(parent)
        return len(tags) - 1

    article = open_("article", -1)
    text += "\n"
    body = open_("bdy", article)
    for s in range(3):
        section = open_("sec", body)
        text += "\n "
        heading = open_("st", section)
        text += f"Part {s} 🗼 of كتاب"
        ends[heading] = len(text)
        text += "\n"
        paragraph = open_("p", section)
        text += "The same words  again,\n  wrapped as XML is, with "
        link = open_("collectionlink", paragraph)
        text += "a link 👩‍👩‍👧 inside"
        ends[link] = len(text)
        text += " e\u0301 and more."
        ends[paragraph] = len(text)
        table = open_("table", section)
        text += "\n"
        for r in range(3):
            row = open_("row", table)
            for c in range(3):
                cell = open_("cell", row)
                text += f"cell {r}{c} 😀" if (r, c) != (1, 1) else ""
                ends[cell] = len(text)
                text += "\n" if c else ""
            ends[row] = len(text)
            text += "\n  "
        ends[table] = len(text)
        text += "tail \U0001d11e\n"
        ends[section] = len(text)
    ends[body] = len(text)
    text += "\n"
    ends[article] = len(text)
    return text, {"tag": tags, "start": starts, "end": ends, "parent": parents}


def articles():
    """Articles of every kind of text that offsets go wrong in."""
    repeated = "The light is seen from the sea. The light is seen from the sea.\n\n" * 12
    emoji = "🗼 Lighthouse 👩‍👩‍👧‍👦 keepers 🇮🇹 wave 👋🏽 at ships 🚢.\nNo emoji here.\n" * 6
    marks = (
        "Cafe\u0301 na\u0308ive Z\u0336a\u0337l\u0338go te\u0323\u0301xt; Tiê\u0301ng Viê\u0323t.\r\nकि क्षि நி กำ\r\n"
        * 5
    )
    arabic = (
        "المنارة برج عليه ضوء قوي يرشد السفن.\nThe word منارة means lighthouse (مَنَارَة).\n\u202bنص\u202c\t\u200bend\n"
        * 5
    )
    text, elements = table_article()
    return [
        PoolArticle("repeated", "Repeated paragraphs", repeated, {}),
        PoolArticle("emoji", "Emoji 🗼", emoji, {}),
        PoolArticle("marks", "Combining marks", marks, {}),
        PoolArticle("arabic", "المنارة", arabic, {}),
        PoolArticle("tables", f"Tables {EVIL}", text, elements),
    ]
