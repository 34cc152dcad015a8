// The panels beside the article: topics, articles, outline, the judgment, and the help.
const $ = (id) => document.getElementById(id);
const KEYS = [
  ["select text, then h", "highlight it, in whole words (or the button that appears)"],
  ["Shift", "held as you let go of the mouse, or with h: highlight to the character"],
  ["arrow keys in the text", "move the caret; Ctrl or Alt by word, Shift selects"],
  ["j, k", "next and previous highlight; or click it"],
  ["s, e", "take hold of a highlight's start or end; arrow keys move it by character, with Ctrl by word; Esc lets go"],
  ["x", "delete the highlight"],
  ["z, y", "undo, redo"],
  ["b, Shift+B", "set the best entry point at the caret; back to the first highlight"],
  ["n", "nothing relevant, and on to the next article"],
  ["d", "done, and on to the next article"],
  ["[, ]", "previous and next article of the list"],
  ["u, m, q", "unsure; write a note; mark the query's words"],
  ["t, a", "go to the text; to the list of articles"],
  ["?", "this help"],
];

function showKeys() {
  $("keys").replaceChildren(...KEYS.map(([key, what]) => {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = key;
    row.append(head, filled("td", what));
    return row;
  }));
}

function filled(name, ...content) {
  const element = document.createElement(name);
  element.append(...content);
  return element;
}

// running text with names in it, none of which turns the direction of the rest: isolated`Take ${name}'s`
function isolated(parts, ...names) {
  const text = document.createDocumentFragment();
  parts.forEach((part, at) => text.append(part, ...(at < names.length ? [filled("bdi", names[at])] : [])));
  return text;
}

function showTopics(topics, qid) {
  $("topics").replaceChildren(...topics.map((topic) => {
    // an option holds no elements: characters isolate the query
    const option = filled("option", `${topic.qid}: \u2068${topic.query}\u2069 (${topic.mine} of ${topic.mine + topic.left})`);
    option.value = topic.qid;
    option.selected = topic.qid === qid;
    return option;
  }));
}

function showQuery(topic) {
  $("query-text").textContent = topic.query;
  $("query-text").dir = "auto";
  const details = Object.entries(topic.details);
  $("details").hidden = !details.length;
  $("details").open = innerWidth > 960;
  $("details-text").replaceChildren(...details.map(([name, text]) => filled("p", isolated`${name}: ${text}`)));
}

const SIGNS = { "": ["○", "not begun"], started: ["◐", "begun"], judged: ["✓", "nothing relevant"], relevant: ["●", "relevant"] };

function sign(entry) {
  return SIGNS[entry.status === "judged" && entry.relevant ? "relevant" : entry.status];
}

const WINDOW = 200; // articles of the list that are shown at a time

// the list around the position *at* among the entries: (buttons by docno)
function showList(entries, at, go) {
  const first = Math.max(0, Math.min(at - WINDOW / 2, entries.length - WINDOW));
  const shown = entries.slice(first, first + WINDOW);
  const buttons = new Map();
  const items = shown.map((entry) => {
    const button = document.createElement("button");
    button.dataset.docno = entry.docno;
    labelItem(button, entry);
    buttons.set(entry.docno, button);
    return listed(button);
  });
  const more = (count, to, where) => {
    const button = filled("button", `... ${count} ${where}`);
    button.addEventListener("click", () => go(to));
    return listed(button);
  };
  const behind = entries.length - first - shown.length;
  if (first) items.unshift(more(first, first - WINDOW / 2, "before"));
  if (behind) items.push(more(behind, first + WINDOW * 1.5, "more"));
  $("list").replaceChildren(...items);
  return buttons;
}

function listed(button) {
  const item = document.createElement("li");
  item.append(button);
  return item;
}

function labelItem(button, entry) {
  const [symbol, words] = sign(entry);
  button.replaceChildren(`${symbol} `, filled("bdi", entry.title), entry.unsure ? " ?" : "");
  const elsewhere = entry.status !== "judged" && !entry.wanted ? ", others are at it" : "";
  button.title = words + elsewhere;
  button.setAttribute("aria-label", `${entry.title}: ${words}${entry.unsure ? ", unsure" : ""}${elsewhere}`);
}

function showOutline(rendered, go) {
  $("outline-box").hidden = rendered.outline.length < 2;
  $("outline").replaceChildren(...rendered.outline.slice(0, 500).map(({ dom, title, level }) => {
    const item = document.createElement("li");
    const button = filled("button", title);
    button.style.paddingInlineStart = `${Math.min(level, 6) * 0.6}rem`;
    button.addEventListener("click", () => go(dom));
    item.append(button);
    return item;
  }));
}

function snippet(offsets, [start, end]) {
  const text = offsets.slice(start, Math.min(end, start + 200)).replace(/\s+/g, " ").trim();
  const characters = end - start === 1 ? "1 character" : `${end - start} characters`;
  return isolated`${text.length > 90 ? `${text.slice(0, 90)} ...` : text} (${characters})`;
}

function showJudgment(state, offsets, active, { choose, remove }) {
  const { highlights, bep, status } = state;
  const count = highlights.length === 1 ? "1 highlight" : `${highlights.length} highlights`;
  $("verdict").textContent = status === "judged" ? (highlights.length ? `Done: ${count}.` : "Done: nothing relevant.")
    : highlights.length ? `${count}; not marked as done yet.` : "Not judged yet.";
  $("highlights").replaceChildren(...highlights.map((span, at) => {
    const item = document.createElement("li");
    const show = filled("button", snippet(offsets, span));
    if (at === active) show.setAttribute("aria-current", "true");
    show.addEventListener("click", () => choose(at));
    const drop = filled("button", "×");
    drop.setAttribute("aria-label", `Delete highlight ${at + 1}`);
    drop.addEventListener("click", () => remove(at));
    item.append(show, drop);
    return item;
  }));
  const entry = bep >= 0 ? bep : highlights[0]?.[0] ?? -1;
  $("entry-text").replaceChildren(entry < 0 ? "" : isolated`Best entry point${bep < 0 ? " (the first highlight)" : ""}: ${
    offsets.slice(entry, entry + 40).replace(/\s+/g, " ").trim()} ...`);
  $("unsure").checked = state.unsure;
  if (document.activeElement !== $("note")) $("note").value = state.note;
}
