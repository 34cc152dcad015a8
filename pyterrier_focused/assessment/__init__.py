"""Judging one's own collection: highlight the relevant text of pooled articles in a browser, by people or programs.

    pool runs and open the page        session.py       assess
    the database and what is in it     store.py         Store (tables: schema.py)
    the server and the page            server.py        page.py, assets/
    a page to send to an assessor      single_file.py   write_page
    progress, and agreement            progress.py      read_progress
    judgments out and in               exchange.py      export_judgments, import_judgments
    a function that judges             programs.py      assess_with
    what changes when it judges        comparison.py    compare_judgments

Each name is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
