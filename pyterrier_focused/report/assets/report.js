"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// tables: the heading's button sorts, numbers from the highest first, then the other way round
function sortBy(table, column, direction) {
  const body = table.tBodies[0];
  const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
  const numeric = [...body.rows].every((row) => row.cells[column].dataset.v !== undefined);
  const compare = numeric ? (a, b) => key(a) - key(b) : (a, b) => key(a).localeCompare(key(b), "en", { numeric: true });
  const sign = direction === "ascending" ? 1 : -1;
  body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
  [...table.tHead.rows[0].cells].forEach((cell, i) => {
    if (cell.hasAttribute("aria-sort")) cell.setAttribute("aria-sort", i === column ? direction : "none");
  });
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("th button");
  if (!button) return;
  const cell = button.closest("th"), table = cell.closest("table");
  const first = table.tBodies[0].rows[0];
  const numeric = first && first.cells[cell.cellIndex].dataset.v !== undefined;
  const now = cell.getAttribute("aria-sort");
  const next = now === "none" ? (numeric ? "descending" : "ascending") : now === "ascending" ? "descending" : "ascending";
  sortBy(table, cell.cellIndex, next);
});

// all pairs: one measure at a time
const pairMeasure = byId("pair-measure");
if (pairMeasure) {
  pairMeasure.addEventListener("change", () => {
    for (const part of document.querySelectorAll(".pairs")) part.hidden = part.dataset.m !== pairMeasure.value;
  });
}

// curves: runs are switched on and off, and values are read at a place
function drawLines() {
  for (const box of document.querySelectorAll("[data-line]")) {
    const place = data.lines.indexOf(Number(box.dataset.line));
    for (const line of document.querySelectorAll(`.chart [data-run="${place}"]`)) line.classList.toggle("off", !box.checked);
  }
  document.querySelectorAll("figure[data-chart]").forEach((figure) => readAt(figure));
}
document.querySelectorAll("[data-line]").forEach((box) => box.addEventListener("change", drawLines));
const short = (value) => Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en").replaceAll(",", "\u202f") : value.toFixed(3);
function readAt(figure, share) {
  const chart = data.charts[figure.dataset.chart], slider = figure.querySelector("input");
  if (share !== undefined) slider.value = Math.round(100 * share);
  else if (!figure.dataset.read) return;
  figure.dataset.read = "1";
  const [low, high] = chart.scale, at = low + (slider.value / 100) * (high - low), x = chart.name === "effort" ? 10 ** at : at;
  const rows = [];
  data.lines.forEach((run, place) => {
    const [xs, ys] = chart.runs[place];
    if (!xs.length || !document.querySelector(`[data-line="${run}"]`).checked) return;
    let best = 0;
    xs.forEach((value, i) => { if (Math.abs(value - x) <= Math.abs(xs[best] - x)) best = i; });
    rows.push([ys[best], `${data.runs[run]} ${ys[best].toFixed(3)}`]);
  });
  rows.sort((a, b) => b[0] - a[0]);
  figure.querySelector("output").textContent = `${chart.labels[0]} ${short(x)}: ${rows.map((row) => row[1]).join(", ")}`;
  const axis = figure.querySelector(".axis").getAttribute("d").match(/[\d.]+/g).map(Number); // left, top, bottom, right
  const place = axis[0] + (slider.value / 100) * (axis[3] - axis[0]);
  figure.querySelector(".cursor").setAttribute("d", `M${place} ${axis[1]}V${axis[2]}`);
}
for (const figure of document.querySelectorAll("figure[data-chart]")) {
  const drawing = figure.querySelector("svg"), axis = figure.querySelector(".axis").getAttribute("d").match(/[\d.]+/g).map(Number);
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect(), scale = drawing.viewBox.baseVal.width / box.width;
    readAt(figure, Math.min(1, Math.max(0, ((event.clientX - box.left) * scale - axis[0]) / (axis[3] - axis[0]))));
  });
  figure.querySelector("input").addEventListener("input", (event) => readAt(figure, event.target.value / 100));
}

// downloads: every table as CSV and LaTeX, every curve as SVG, made here
function save(name, type, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name.replace(/[^\w.-]+/g, "-") });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const plain = (cell) => {
  const copy = cell.cloneNode(true);
  for (const part of copy.querySelectorAll("sup, .interval, .delta, svg")) part.remove();
  for (const part of copy.querySelectorAll("[aria-label]")) part.textContent = part.getAttribute("aria-label");
  return copy.textContent.trim();
};
function tableCells(table) {
  const body = [...table.tBodies[0].rows].filter((row) => !row.hidden);
  return { head: [...table.tHead.rows[0].cells], body: body.map((row) => [...row.cells]) };
}
function asCsv(table) {
  const { head, body } = tableCells(table), bounded = (i) => body.some((row) => row[i].dataset.low !== undefined);
  const quote = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const names = head.flatMap((cell, i) => bounded(i) ? [plain(cell), `${plain(cell)} low`, `${plain(cell)} high`] : [plain(cell)]);
  const rows = body.map((row) => row.flatMap((cell, i) => {
    const value = cell.dataset.v ?? plain(cell);
    return bounded(i) ? [value, cell.dataset.low, cell.dataset.high] : [value];
  }));
  return [names, ...rows].map((row) => row.map(quote).join(",")).join("\r\n") + "\r\n";
}
function asLatex(table) {
  const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "−": "$-$", "■": "$\\star$", "–": "--", "\u202f": "\\," };
  const escaped = (text) => text.replace(/[\\~^−■–\u202f]|[&%$#_{}]/g, (sign) => special[sign] ?? `\\${sign}`);
  const { head, body } = tableCells(table);
  const shown = (cell) => {
    const marks = cell.querySelector("sup")?.textContent ?? "", text = escaped(plain(cell));
    return (cell.querySelector("b") ? `\\textbf{${text}}` : text) + (marks ? `$^{${marks.replaceAll(" ", "")}}$` : "");
  };
  const columns = head.map((_, i) => body.every((row) => row[i].dataset.v !== undefined) ? "r" : "l").join("");
  const line = (cells) => `  ${cells.join(" & ")} \\\\`;
  return [`% needs \\usepackage{booktabs}`, `\\begin{tabular}{${columns}}`, "  \\toprule", line(head.map((cell) => escaped(plain(cell)))),
    "  \\midrule", ...body.map((row) => line(row.map(shown))), "  \\bottomrule", "\\end{tabular}", ""].join("\n");
}
function asSvg(drawing, named) {
  const copy = drawing.cloneNode(true), originals = [...drawing.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((part, i) => {
    const look = getComputedStyle(originals[i]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "text-anchor", "fill-opacity"]) {
      part.setAttribute(name, look.getPropertyValue(name));
    }
    if (look.display === "none") part.classList.add("gone");
  });
  copy.querySelectorAll(".gone, .cursor").forEach((part) => part.remove());
  const { width, height } = drawing.viewBox.baseVal;
  let rows = 0;
  if (named) { // a legend below, of the lines that are shown
    for (const line of copy.querySelectorAll("g[data-run]")) {
      const y = height + 12 + 16 * rows++, [stroke, mark] = [line.querySelector(".l"), line.querySelector(".m")].map((part) => part?.cloneNode());
      stroke.setAttribute("d", `M46 ${y}h36`);
      mark?.setAttribute("transform", `translate(64 ${y})`);
      const text = document.createElementNS(drawing.namespaceURI, "text");
      text.setAttribute("x", 90);
      text.setAttribute("y", y + 4);
      text.setAttribute("font-family", "sans-serif");
      text.setAttribute("font-size", "12px");
      text.textContent = line.querySelector("title").textContent;
      copy.append(stroke, ...(mark ? [mark] : []), text);
    }
  }
  copy.setAttribute("xmlns", drawing.namespaceURI);
  copy.setAttribute("viewBox", `0 0 ${width} ${height + 16 * rows + (rows ? 8 : 0)}`);
  copy.removeAttribute("class");
  return new XMLSerializer().serializeToString(copy);
}
const saver = (label, name, what) => make("button", { type: "button", textContent: label, ariaLabel: `${label} of ${name}`, onclick: what });
function addSavers(root) {
  for (const table of root.querySelectorAll("table[data-name]")) {
    const { name } = table.dataset;
    table.closest(".scroll").after(make("p", { className: "save" }, "Save as ",
      saver("CSV", name, () => save(`${name}.csv`, "text/csv", asCsv(table))), " ",
      saver("LaTeX", name, () => save(`${name}.tex`, "text/x-tex", asLatex(table)))));
  }
}
addSavers(document);
for (const figure of document.querySelectorAll("figure[data-chart]")) {
  const { name } = data.charts[figure.dataset.chart];
  figure.append(make("p", { className: "save" }, "Save as ", saver("SVG", name, () => save(`${name}.svg`, "image/svg+xml", asSvg(figure.querySelector("svg"), true)))));
}
document.querySelectorAll("svg.groups").forEach((drawing, m) => {
  const name = `groups-${data.measures[m]}`;
  drawing.closest(".scroll").after(make("p", { className: "save" }, "Save as ", saver("SVG", name, () => save(`${name}.svg`, "image/svg+xml", asSvg(drawing, false)))));
});

let current = -1, chosen = 0; // the topic that is open, and the run whose articles are shown

// heat map: topics by runs, one measure at a time
const heat = byId("heat"), heatMeasure = byId("heat-measure"), filter = byId("filter");
const mean = (run, m = 0) => data.values[run].reduce((sum, row) => sum + row[m], 0);
const ranking = data.runs.map((_, k) => k).sort((a, b) => mean(b) - mean(a));
chosen = ranking[0];
const titled = data.topics.some((topic) => topic[1]);
data.measures.forEach((name, m) => heatMeasure.append(new Option(name, m)));
function headCell(name, kind, sort, note) {
  const button = make("button", { type: "button", textContent: name, title: note ?? name });
  const cell = make("th", { scope: "col", className: kind }, button);
  cell.setAttribute("aria-sort", sort);
  return cell;
}
function drawHeat() {
  const m = Number(heatMeasure.value), several = data.runs.length > 1;
  const order = data.runs.map((_, k) => k).sort((a, b) => mean(b, m) - mean(a, m));
  const head = make("tr", {}, headCell("topic", "text pin id", several ? "none" : "ascending"), ...(titled ? [headCell("title", "text", "none")] : []),
    ...(several ? [headCell("spread", "", "descending", "highest value less lowest")] : []), ...order.map((k) => headCell(data.runs[k], "run", "none")));
  heat.tHead.replaceChildren(head);
  const highest = Math.max(1e-9, ...order.flatMap((k) => data.topics.map((_, t) => data.values[k][t][m])));
  heat.tBodies[0].replaceChildren(...data.topics.map(([qid, title], t) => {
    const values = order.map((k) => data.values[k][t][m]), spread = Math.max(...values) - Math.min(...values);
    const row = make("tr", {}, make("th", { scope: "row", className: "pin id" }, make("a", { href: `#topic-${t}`, textContent: qid })));
    row.dataset.t = t;
    if (titled) row.append(make("th", { scope: "row", className: "title", textContent: title, title }));
    const told = make("td", { textContent: spread.toFixed(3) });
    told.dataset.v = spread;
    if (several) row.append(told);
    order.forEach((k, i) => {
      const link = make("a", { href: `#topic-${t}-run-${k}`, textContent: values[i].toFixed(3), tabIndex: -1, title: `${data.runs[k]}, topic ${qid}` });
      const cell = make("td", { className: "value" }, link);
      cell.dataset.v = values[i];
      cell.style.setProperty("--v", `${(100 * Math.max(0, values[i]) / highest).toFixed(1)}%`);
      row.append(cell);
    });
    return row;
  }));
  if (several) sortBy(heat, titled ? 2 : 1, "descending");
  const first = heat.querySelector("td.value a");
  if (first) first.tabIndex = 0;
  filterTopics();
  markCurrent();
}
// within the heat map the arrow keys move, so that it is one stop of the Tab key
heat.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!step || !event.target.matches("td.value a")) return;
  event.preventDefault();
  const cell = event.target.closest("td"), rows = [...heat.tBodies[0].rows].filter((row) => !row.hidden);
  const next = rows[rows.indexOf(cell.parentElement) + step[0]]?.cells[cell.cellIndex + step[1]]?.querySelector("a");
  if (!next || !next.closest("td.value")) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
heatMeasure.addEventListener("change", drawHeat);
byId("heat-form").addEventListener("submit", (event) => event.preventDefault());

// two runs compared on all measures: bars have one scale for the whole table
const runA = byId("run-a"), runB = byId("run-b"), byTopic = byId("by-topic");
function drawHead() {
  byTopic.tHead.replaceChildren(make("tr", {}, headCell("topic", "text pin id", "ascending"), ...(titled ? [headCell("title", "text", "none")] : []),
    ...data.measures.map((name, m) => headCell(name, "", "none", data.notes[m]))));
}
function bar(value) {
  const part = make("i", { className: value > 0 ? "up" : "down" });
  part.style.width = `${Math.min(50, Math.abs(value) * 50)}%`;
  return make("span", { className: "delta" }, ...(value ? [part] : []));
}
function drawDifferences() {
  const a = Number(runA.value), b = Number(runB.value);
  const cells = [...byTopic.tHead.rows[0].cells], sorted = cells.findIndex((cell) => cell.getAttribute("aria-sort") !== "none");
  const direction = cells[sorted].getAttribute("aria-sort"), counts = { up: 0, down: 0 };
  const less = (t, m) => data.values[a][t][m] - data.values[b][t][m];
  const widest = Math.max(1e-9, ...data.measures.flatMap((_, m) => data.topics.map((_, t) => Math.abs(less(t, m)))));
  byTopic.tBodies[0].replaceChildren(...data.topics.map(([qid, title], t) => {
    const row = make("tr", {}, make("th", { scope: "row", className: "pin id" }, make("a", { href: `#topic-${t}`, textContent: qid })));
    row.dataset.t = t;
    if (titled) row.append(make("th", { scope: "row", className: "title", textContent: title, title }));
    data.measures.forEach((_, m) => {
      const value = less(t, m), digits = Math.abs(value).toFixed(3);
      const cell = make("td", {}, (Number(digits) === 0 ? "" : value > 0 ? "+" : "−") + digits, bar(value / widest));
      cell.dataset.v = value;
      row.append(cell);
      if (m === 0 && value) counts[value > 0 ? "up" : "down"] += 1;
    });
    return row;
  }));
  if (sorted > 0 || direction === "descending") sortBy(byTopic, sorted, direction);
  byId("by-topic-note").textContent = `${data.measures[0]}: ${data.runs[a]} is higher than ${data.runs[b]} on ${counts.up} of ${data.topics.length} topics, lower on ${counts.down}. `
    + `All bars have one scale: the longest is ${widest.toFixed(3)}.`;
  filterTopics();
  markCurrent();
}
if (byTopic) {
  data.runs.forEach((name, k) => {
    runA.append(new Option(name, k));
    runB.append(new Option(name, k));
  });
  runA.value = ranking[0];
  runB.value = ranking[1];
  runA.addEventListener("change", drawDifferences);
  runB.addEventListener("change", drawDifferences);
  byId("compare").addEventListener("submit", (event) => event.preventDefault());
}
const topicRows = () => [heat, byTopic].filter(Boolean).flatMap((table) => [...table.tBodies[0].rows]);
function filterTopics() {
  const wanted = filter.value.trim().toLowerCase();
  for (const row of topicRows()) {
    row.hidden = wanted && !data.topics[row.dataset.t].some((text) => text.toLowerCase().includes(wanted));
  }
}
filter.addEventListener("input", filterTopics);

// one topic: unpacked when it is opened
const panel = byId("topic");

function markCurrent() {
  for (const row of topicRows()) {
    if (Number(row.dataset.t) === current) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}
async function unpack(t) {
  const bytes = Uint8Array.from(atob(byId(`topic-${t}`).textContent), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
async function openTopic(t) {
  if (t === current) {
    choose(chosen);
    return;
  }
  current = t;
  markCurrent();
  if (typeof DecompressionStream === "undefined") {
    panel.replaceChildren(make("p", { textContent: "This browser cannot unpack the topics; one of 2023 or later can." }));
    panel.hidden = false;
    return;
  }
  const html = await unpack(t);
  if (t !== current) return;
  panel.innerHTML = html;
  panel.prepend(topicLinks(t));
  panel.hidden = false;
  addSavers(panel);
  choose(chosen);
  const heading = panel.querySelector("h2");
  heading.focus({ preventScroll: true });
  panel.scrollIntoView();
}
function topicLinks(t) {
  const shown = [...heat.tBodies[0].rows].filter((row) => !row.hidden).map((row) => Number(row.dataset.t));
  const at = shown.indexOf(t);
  const links = [["all topics", "#topics"]];
  if (at > 0) links.push(["← previous", `#topic-${shown[at - 1]}`]);
  if (at >= 0 && at + 1 < shown.length) links.push(["next →", `#topic-${shown[at + 1]}`]);
  const nav = make("nav", {}, ...links.map(([text, href]) => make("a", { href, textContent: text })));
  nav.setAttribute("aria-label", "Topics");
  return nav;
}
function choose(run) {
  chosen = run;
  for (const input of panel.querySelectorAll("input[name=run]")) input.checked = Number(input.value) === run;
  for (const part of panel.querySelectorAll("section.hits")) part.hidden = Number(part.dataset.run) !== run;
}
panel.addEventListener("change", (event) => {
  if (event.target.name === "run") choose(Number(event.target.value));
  if (event.target.dataset.reading) event.target.closest(".slot").className = `slot run-${event.target.value}`;
});

// one article: its template is copied when it is opened, and taken away when it is closed, for ids stand once
panel.addEventListener("toggle", (event) => {
  const hit = event.target;
  if (!hit.matches("details.hit")) return;
  const slot = hit.querySelector(".slot");
  if (!hit.open) {
    slot.replaceChildren();
    return;
  }
  for (const other of panel.querySelectorAll(`details.hit[open][data-a="${hit.dataset.a}"]`)) if (other !== hit) other.open = false;
  const run = Number(hit.closest("section.hits").dataset.run);
  slot.className = `slot run-${run}`;
  slot.replaceChildren(readings(hit.dataset.a, run), panel.querySelector(`template[data-a="${hit.dataset.a}"]`).content.cloneNode(true));
}, true);
function readings(article, run) {
  if (data.runs.length < 2) return "";
  const box = make("fieldset", { className: "chooser" }, make("legend", { textContent: "As seen by" }));
  data.runs.forEach((name, k) => {
    const input = make("input", { type: "radio", name: `reading-${article}`, value: k, checked: k === run });
    input.dataset.reading = "1";
    box.append(make("label", {}, input, make("span", { textContent: name })));
  });
  return box;
}
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || current < 0 || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  const row = heat.querySelector(`tr[data-t="${current}"] a`);
  location.hash = "topics";
  if (row) row.focus();
});

function route() {
  const match = /^#topic-(\d+)(?:-run-(\d+))?$/.exec(location.hash);
  if (match && Number(match[1]) < data.topics.length) {
    if (match[2] !== undefined && Number(match[2]) < data.runs.length) chosen = Number(match[2]);
    openTopic(Number(match[1]));
  } else if (location.hash === "#topics" || !location.hash) {
    current = -1;
    panel.hidden = true;
    panel.replaceChildren();
    markCurrent();
  }
}
drawHeat();
if (byTopic) {
  drawHead();
  drawDifferences();
}
window.addEventListener("hashchange", route);
route();
// closed parts are printed, too
let closed = [];
window.addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details.more:not([open])")];
  for (const part of closed) part.open = true;
});
window.addEventListener("afterprint", () => closed.forEach((part) => { part.open = false; }));
