"""The highlights of the demo, as quotes: what `data/demo/qrels.txt` says in offsets.

For each topic: the relevant articles, each with its highlights (first words, last words), where the first one
begins being the best entry point; and the articles that were judged and hold nothing relevant.
"""

HIGHLIGHTS = {
    "2026001": (
        {
            "102": [
                ("A lens bends light only", "in one parallel beam."),
                ("The inner rings refract", "had caught a sixth."),
            ],
            "101": [("What made a small flame", "but the lens around it.")],
            "124": [("a rhythm needs no moving part", "a battery, may be left alone for a year.")],
        },
        ["103", "122", "117", "105", "110"],
    ),
    "2026002": (
        {
            "105": [
                ("The day began with the lens.", "woke each other in turn."),
                ("The lens was turned by a weight", "another light on the chart."),
                ("Wind, sea, temperature", "and for so long."),
            ],
            "101": [("For two centuries a light meant people", "wrote the log.")],
            "106": [("They tended the lantern", "felt through the deck.")],
            "122": [("A station kept oil for a year", "burned all night.")],
        },
        ["118", "103", "119", "112", "123"],
    ),
    "2026003": (
        {
            "116": [
                ("Robert Stevenson built the tower", "bring out the mail."),
                ("To end the daily journeys", "in the order of the numbers."),
            ],
            "115": [
                ("His tower of wood and iron", "a rock in the open sea."),
                ("built a smooth cone of timber", "as a shipwright would."),
                ("Smeaton's tower of dovetailed granite", "the beginning of modern cement."),
                ("The present tower, by James Douglass", "stump of the old one."),
            ],
            "101": [
                ("A tower on a rock in the open sea", "on a square metre."),
                ("John Smeaton's tower on the Eddystone", "from a single stone."),
            ],
            "120": [("On a reef that dries", "and not by the sun.")],
        },
        ["117", "106", "105", "107"],
    ),
    "2026004": (
        {
            "104": [
                ("Bells were rung by hand", "too small for machinery."),
                ("Robert Foulis, a Scottish engineer", "over many miles."),
                ("Sound does not spread evenly", "by its loudness."),
            ],
            "106": [("sounded the fog signal at their own masthead", "felt through the deck.")],
            "114": [("Sound and radio were sometimes sent", "count her distance.")],
            "107": [("Bells and whistles are worked", "the sea itself.")],
        },
        ["112", "103", "118", "105"],
    ),
    "2026005": (
        {
            "111": [
                ("A pendulum is useless", "better than thirty."),
                ("John Harrison, a carpenter's son", "in parts and late."),
                ("Arnold and Earnshaw made", "around the world."),
            ],
            "110": [("Longitude is a matter of time", "kept time at sea.")],
            "121": [("In 1707 a British fleet", "when the prize for the longitude was set.")],
        },
        ["108", "109", "113", "120"],
    ),
    "2026006": (
        {
            "109": [
                ("The needle does not point", "with her heading."),
                ("Iron ships of the nineteenth century", "on a deviation card."),
            ],
            "121": [("The compass course has to be corrected", "variation and deviation")],
            "108": [("a circle called the compass rose", "magnetic north.")],
            "114": [("The ship's own rigging turns it too", "had to be calibrated.")],
        },
        ["110", "111", "112", "113"],
    ),
    "2026007": (
        {
            "106": [("Lightvessels were run down in fog", "seven of her crew were lost.")],
            "112": [("The first years of radar at sea", "before they act on it.")],
            "121": [("In 1707 a British fleet", "over thirteen hundred men were lost.")],
            "109": [("Iron ships of the nineteenth century ran ashore", "turned the compass.")],
            "108": [("Between two casts a pinnacle of rock", "that struck them.")],
            "116": [("a storm in 1799", "in those waters.")],
        },
        ["118", "119", "104", "113", "115"],
    ),
    "2026008": (
        {
            "103": [
                ("A fixed light burns without a break.", "a longer darkness."),
                ("The period is the time", "same stretch of coast."),
                ("White carries farthest.", "which way to steer."),
                ("The chart writes Fl(3)", "F for fixed."),
            ],
            "116": [("red and white by turns", "on a revolving frame.")],
            "108": [("Around each light stands its characteristic", "its characteristic")],
            "102": [("A lens with several bull's eyes", "a ship sees a flash.")],
        },
        ["107", "124", "105", "112"],
    ),
    "2026009": (
        {
            "101": [("From the 1960s on lights were made automatic", "before the century was over.")],
            "105": [("Automatic lamps, and later electronics", "in 1998.")],
            "124": [("A diode lights at once", "who miss the beams.")],
            "106": [("Large buoys with automatic lights", "have no crew.")],
            "107": [("Gustaf Dalén's sun valve", "Nobel prize in 1912.")],
            "115": [("A platform for helicopters", "a hundred years later.")],
        },
        ["102", "113", "122", "117"],
    ),
    "2026010": (
        {
            "105": [("Grace Darling, a keeper's daughter", "at least eighteen lives.")],
            "118": [
                ("Lionel Lukin patented", "hundreds in forty years."),
                ("The Royal National Lifeboat Institution", "or by telephone."),
                ("Where a ship struck near the shore", "through the surf."),
            ],
        },
        ["106", "119", "112", "116", "121"],
    ),
    "2026011": (
        {
            "113": [("The signal is weak", "for keeping their lights.")],
            "112": [("Rain and waves give false echoes", "in which nothing shows.")],
            "114": [("At dusk and dawn waves reflected", "night effect.")],
            "121": [("The error grows with every hour.", "where the chart had her.")],
        },
        ["108", "109", "110", "111", "124"],
    ),
    "2026012": (
        {
            "107": [
                ("Buoys speak by shape and colour.", "together for west."),
                ("In the Americas, Japan", "systems in use."),
            ],
            "103": [("Red and green are used to mark the sides of a channel", "to warn.")],
        },
        ["101", "108", "112", "120", "124"],
    ),
}
