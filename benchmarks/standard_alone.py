"""AP, nDCG@10 and P@10 through ir_measures, in a process without this package: `evaluate.py` starts it.

Reads pickled (qrels, run) from the file that is its argument; for each line of standard input, scores the run and
prints the seconds of CPU that it took.
"""

import pickle
import sys
import time
from pathlib import Path

import ir_measures

MEASURES = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.P @ 10]

if __name__ == "__main__":
    qrels, run = pickle.loads(Path(sys.argv[1]).read_bytes())
    for _ in sys.stdin:
        start = time.process_time()
        ir_measures.calc_aggregate(MEASURES, qrels, run)
        print(time.process_time() - start, flush=True)
    assert "pyterrier_focused" not in sys.modules
