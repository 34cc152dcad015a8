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

// topics: the values of a run, or what it has more than another
const runA = byId("run-a"), runB = byId("run-b"), byTopic = byId("by-topic"), filter = byId("filter");
const mean = (run) => data.values[run].reduce((sum, row) => sum + row[0], 0);
const ranking = data.runs.map((_, k) => k).sort((a, b) => mean(b) - mean(a));
data.runs.forEach((name, k) => {
  runA.append(new Option(name, k));
  runB.append(new Option(name, k));
});
runB.append(new Option("none: its values", -1));
runA.value = ranking[0];
runB.value = ranking.length > 1 ? ranking[1] : -1;
if (ranking.length < 2) runB.closest("label").hidden = true;
const titled = data.topics.some((topic) => topic[1]);

function drawHead() {
  const row = make("tr");
  for (const name of ["topic", ...(titled ? ["title"] : []), ...data.measures]) {
    const kind = name === "topic" ? "text pin id" : name === "title" ? "text" : "";
    const cell = make("th", { scope: "col", className: kind }, make("button", { type: "button", textContent: name }));
    cell.setAttribute("aria-sort", name === "topic" ? "ascending" : "none");
    row.append(cell);
  }
  byTopic.tHead.replaceChildren(row);
}
function bar(value) {
  const part = make("i", { className: value > 0 ? "up" : "down" });
  part.style.width = `${Math.min(50, Math.abs(value) * 50)}%`;
  return make("span", { className: "delta" }, ...(value ? [part] : []));
}
function drawTopics() {
  const a = Number(runA.value), b = Number(runB.value);
  const sorted = [...byTopic.tHead.rows[0].cells].findIndex((cell) => cell.getAttribute("aria-sort") !== "none");
  const direction = byTopic.tHead.rows[0].cells[sorted].getAttribute("aria-sort");
  const counts = { up: 0, down: 0 };
  const less = (t, m) => data.values[a][t][m] - (b < 0 ? 0 : data.values[b][t][m]);
  const widest = data.measures.map((_, m) => Math.max(1e-9, ...data.topics.map((_, t) => Math.abs(less(t, m)))));
  const rows = data.topics.map(([qid, title], t) => {
    const row = make("tr");
    row.dataset.t = t;
    row.append(make("th", { scope: "row", className: "pin id" }, make("a", { href: `#topic-${t}`, textContent: qid })));
    if (titled) row.append(make("th", { scope: "row", textContent: title, title }));
    data.measures.forEach((_, m) => {
      const value = less(t, m);
      const digits = Math.abs(value).toFixed(3);
      const sign = b < 0 || Number(digits) === 0 ? "" : value > 0 ? "+" : "−";
      const cell = make("td", {}, sign + digits, ...(b < 0 ? [] : [bar(value / widest[m])]));
      cell.dataset.v = value;
      row.append(cell);
      if (m === 0 && value) counts[value > 0 ? "up" : "down"] += 1;
    });
    return row;
  });
  byTopic.tBodies[0].replaceChildren(...rows);
  if (sorted > 0 || direction === "descending") sortBy(byTopic, sorted, direction);
  byId("by-topic-note").textContent = b < 0 ? `Values of ${data.runs[a]}.`
    : `${data.measures[0]}: ${data.runs[a]} is higher than ${data.runs[b]} on ${counts.up} of ${data.topics.length} topics, lower on ${counts.down}.`;
  filterTopics();
  markCurrent();
}
function filterTopics() {
  const wanted = filter.value.trim().toLowerCase();
  for (const row of byTopic.tBodies[0].rows) row.hidden = wanted && !row.textContent.toLowerCase().includes(wanted);
}
runA.addEventListener("change", drawTopics);
runB.addEventListener("change", drawTopics);
filter.addEventListener("input", filterTopics);
byId("compare").addEventListener("submit", (event) => event.preventDefault());

// one topic: unpacked when it is opened
const panel = byId("topic");
let current = -1, chosen = ranking[0];

function markCurrent() {
  for (const row of byTopic.tBodies[0].rows) {
    if (Number(row.dataset.t) === current) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}
async function unpack(t) {
  const bytes = Uint8Array.from(atob(byId(`topic-${t}`).textContent), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
async function openTopic(t) {
  if (t === current) return;
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
  choose(chosen);
  const heading = panel.querySelector("h2");
  heading.focus({ preventScroll: true });
  panel.scrollIntoView();
}
function topicLinks(t) {
  const shown = [...byTopic.tBodies[0].rows].filter((row) => !row.hidden).map((row) => Number(row.dataset.t));
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
  const row = byTopic.querySelector(`tr[data-t="${current}"] a`);
  location.hash = "topics";
  if (row) row.focus();
});

function route() {
  const match = /^#topic-(\d+)$/.exec(location.hash);
  if (match && Number(match[1]) < data.topics.length) {
    openTopic(Number(match[1]));
  } else if (location.hash === "#topics" || !location.hash) {
    current = -1;
    panel.hidden = true;
    panel.replaceChildren();
    markCurrent();
  }
}
drawHead();
drawTopics();
window.addEventListener("hashchange", route);
route();
