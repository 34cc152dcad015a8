"""The analysis of results: significance, agreement, pooling, curves and tables.

    is a difference real, and how large is it?          statistics/significance.py randomisation_test, t_test
    which of many systems differ?                       statistics/pairs.py        pairwise, triangle
    do two measures rank systems alike?                 statistics/rankings.py     compare_measures
    do assessors agree?                                 statistics/agreement.py    agreement, kappa
    does it matter who judged?                          judgment_comparison.py     compare_judgments
    what should be judged?                              pooling.py                 pool
    what do the curves look like, as numbers?           curves/points.py           char_precision_recall, roc
    what did each article score?                        curves/per_article.py      article_scores, adm_plane
    and as plots?                                       curves/plots.py            plot_roc, plot_intervals
    the results as a table in a paper?                  tables.py                  mark_differences
    what is in these qrels, or in this run?             description.py             describe

Common arguments:

    qrels, run, runs     frames or paths of files; several runs as a dict by name or as a list
    qid                  the one topic to look at; all judged topics without it
    results              the per-query frame of `pt.Experiment(..., perquery=True)`, with at least two systems if these
                         are compared; *measure* picks one of its measures, without it all are taken
    x, y                 values of two systems, one per topic, in the same order of topics, at least 2
    alpha                the level of significance, between 0 and 1; *confidence* and *level* are 1 - alpha
    resamples, seed      how many resamples or exchanges are drawn; the same seed gives the same p
    overlap              'error' refuses passages of an article that overlap, 'once' counts each character once
    ax                   the axes that a plot is drawn into, new ones by default; every plot returns its axes

Input that does not fit raises a ValueError that says why. Each name is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
