"""The rules of sh_eval, second by second where seconds are sets, and random files that are full of their quirks."""

import random
import re


def seconds(text):
    digits = re.match(r"([0-9]+).([0-9]+)", text)
    return 60 * int(digits[1]) + int(digits[2]) if digits else 0


def read(text, rank=None):
    """{query: [(video, start, end, relevance or rank)]} in the order of the file, or of the ranks."""
    found = {}
    for line in text.split("\n"):
        fields = line.split()
        if fields:
            number = int(fields[5 if rank is None else rank])
            found.setdefault(fields[0], []).append((fields[2], seconds(fields[3]), seconds(fields[4]), number))
    if rank is not None:
        for lines in found.values():
            lines.sort(key=lambda line: line[3])
    return found


def touch(a, b):
    """Whether two segments of one video meet, both ends inclusive."""
    return a[0] <= b[0] <= a[1] or b[0] <= a[0] <= b[1]


def merge(segments):
    merged = []
    for video, start, end in sorted(segments):
        if merged and merged[-1][0] == video and touch(merged[-1][1:], (start, end)):
            merged[-1] = (video, min(merged[-1][1], start), max(merged[-1][2], end))
        else:
            merged.append((video, start, end))
    return merged


def plain(run, relevant, others):
    marks = []
    for video, start, end, _ in run:
        near = [any(v == video and touch((a, b), (start, end)) for v, a, b in part) for part in (relevant, others)]
        marks.append("1" if near[0] else "0" if near[1] else "-")
    return marks


def bins(video, start, end, size=300):
    return [(video, at) for at in range(start // size, (end - 1) // size + 1)]


def binned(run, relevant, others):
    order = list(dict.fromkeys(place for video, start, end, _ in run for place in bins(video, start, end)))
    in_relevant, in_others = ({place for part in segments for place in bins(*part)} for segments in (relevant, others))
    marks = ["1" if place in in_relevant else "0" if place in in_others else "-" for place in order]
    return marks, len(in_relevant)


def span(start, end):
    return set(range(start, end)) if end != 0 else {start}


def tolerant(run, relevant, others, tolerance=15):
    marks, seen = [], {}
    for video, start, end, _ in run:
        target = span(start, end)
        hits = [b for v, a, b in relevant if v == video and set(range(a, b)) & set(range(start, start + tolerance))]
        known = bool(target & seen.get(video, set()))
        if hits and known:
            marks.append("s")
        elif hits:
            marks.append("1")
            seen.setdefault(video, set()).update(range(start, max(*hits, start + tolerance)))
        elif any(v == video and target & set(range(a, b)) for v, a, b in others):
            marks.append("S" if known else "0")
        else:
            marks.append("-")
    return marks


def points(total):
    if total <= 100:
        return list(range(total + 1))
    rest = total % 100
    step = total // 100 if rest <= 50 else total // 100 + 1
    levels = list(range(0, total, step))
    levels[-1] += rest
    return levels


def maisp(run, relevant):
    unseen = {}
    for video, start, end in relevant:
        unseen.setdefault(video, []).append((start, end))
    total = sum(max(0, end - start) for _, start, end in relevant)
    levels, ret, found, precisions = points(total), 0, 0, []
    waiting = levels[1:]
    for video, s, e, _ in run:
        if video not in unseen:
            ret += max(0, e - s)
            continue
        a, seen, stay = s, 0, []
        for x, y in unseen[video]:
            if x <= a <= y or a <= x <= e:
                b = max(x, a)
                gain = max(0, y - b)
                found += gain
                seen += b - a + gain
                while waiting and waiting[0] <= found:
                    p = waiting.pop(0)
                    precisions.append(p / (ret + seen - (found - p)))
                if b - 1 > x:
                    stay.append((x, b - 1))
                a += seen
            else:
                stay.append((x, y))
        unseen[video] = stay
        ret += max(seen, e - s)
    isp = [max(precisions[at:]) for at in range(len(precisions))]
    at = [isp[k] if k < len(isp) else 0.0 for k in (5, 10, 20)]
    value = (1 + sum(isp)) / len(levels) if isp else 0.0
    names = ("num_rel_secs", "num_ret_secs", "num_rel_ret_secs", "maisp", "maisp_0.05", "maisp_0.10", "maisp_0.20")
    return dict(zip(names, (total, ret, found, value, *at), strict=True))


def measures(marks, relevant, suffix):
    ones = [mark == "1" for mark in marks]
    precision = sum(sum(ones[: at + 1]) / (at + 1) for at in range(len(ones)) if ones[at])
    values = {"num_rel": relevant, "num_ret": len(marks), "num_rel_ret": sum(ones)}
    values["map"] = precision / relevant if precision else 0.0
    values.update({f"P_{k}": sum(ones[:k]) / k for k in (5, 10, 20)})
    values.update({f"Judged_{k}": sum(mark != "-" for mark in marks[:k]) / k for k in (10, 20, 30)})
    values["relString"] = f"{''.join(marks)} {len(marks)}"
    return {name + suffix: value for name, value in values.items()}


def per_query(run, judged):
    raw = [[line[:3] for line in judged if (line[3] > 0) == relevant] for relevant in (True, False)]
    relevant, others = map(merge, raw)
    lengths = [end - start for _, start, end in relevant]
    bin_marks, bin_count = binned(run, *raw)
    return {
        "videos_ret": len({line[0] for line in run}),
        "videos_rel": len({part[0] for part in relevant}),
        "avglength_ret": sum(line[2] - line[1] for line in run) / len(run),
        "avglength_rel": sum(lengths) / len(lengths) if lengths else 0.0,
        **measures(plain(run, relevant, others), len(relevant), ""),
        **measures(bin_marks, bin_count, "_bin"),
        **measures(tolerant(run, relevant, others), len(relevant), "_tol"),
        **maisp(run, relevant),
    }


def expected(qrel, run, search):
    """All values but the constants, unrounded."""
    judged, run = read(qrel), read(run, 6 if search else 5)
    scored = {query: per_query(run[query], judged[query]) for query in sorted(run) if query in judged}
    every = {"num_q": len(scored)}
    for name in next(iter(scored.values()), ()):
        if "relString" not in name:
            total = sum(values[name] for values in scored.values())
            every[name] = total if name.startswith("num_") else total / len(scored)
    return {**scored, "all": every}


def random_files(seed, odd=True):
    """Judgments and run as text, and whether it is a search run; *odd*: times such as 15.2 and ends before starts."""
    rng = random.Random(seed)
    videos = [f"v{at}" for at in range(rng.randint(1, 4))]
    queries = rng.sample(["q1", "q10", "q2", "anchor_3"], rng.randint(1, 4))
    longest = rng.choice([20, 60, 200, 700])
    odd = odd and rng.random() < 0.4

    def time(at):
        if odd and rng.random() < 0.1:
            return rng.choice(["15.2", "7.05", "7.5", "0.00", "0.0", "3", "1550", "2:30", "x"])
        return f"{at // 60}.{at % 60:02d}"

    def segment():
        start = rng.choice([0, rng.randint(0, 900), rng.randint(0, 60)])
        if rng.random() < 0.15:
            start = rng.choice([0, 299, 300, 301, 600])
        length = rng.choice([0 if odd else 1, rng.randint(1, longest), rng.randint(1, longest), 15, 100, 149, 150])
        return time(start), time(start + length)

    qrel, run = [], []
    for query in queries:
        for _ in range(rng.randint(0, 12)):
            qrel.append(
                f"{query} Q0 {rng.choice(videos)} {' '.join(segment())} {rng.choice([1, 1, 2, 0, -1 if odd else 0])}"
            )
    search = rng.random() < 0.5
    for query in [*queries[1:], "unjudged", *queries[:1]]:
        for rank in range(rng.choice([0, 3, 15, 40])):
            start, end = segment()
            jump = f" {start}" if search else ""
            rank = rng.choice([rank, rank, 5])
            run.append(f"{query} Q0 {rng.choice([*videos, 'w'])} {start} {end}{jump} {rank} {rng.random():.3f} tag")
    rng.shuffle(qrel)
    return "\n".join(qrel) + "\n", "\n".join(run) + "\n", search
