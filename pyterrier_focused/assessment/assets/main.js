// Keys, mouse and touch, tied to what the page does.
const data = JSON.parse($("data").textContent);
// by var, as properties of the window, which are all that Firefox's driver sees in tests
var assessing = new Assessing(data.mode === "server" ? new ServerBackend() : new FileBackend(data));
var comparing = new Adjudicating(assessing);

const DO = {
  highlight: (event) => assessing.highlight(event?.shiftKey), remove: () => assessing.remove(), entry: () => assessing.entry(),
  undo: () => assessing.undo(), redo: () => assessing.undo(assessing.future, assessing.past, "redo"),
  words: () => assessing.toggleWords(), nothing: () => assessing.nothing(), done: () => assessing.done(),
  help: () => $("help").showModal(), next: () => assessing.neighbour(1), previous: () => assessing.neighbour(-1),
  unsure: () => assessing.change("unsure", { unsure: !assessing.state.unsure }),
  note: () => $("note").focus(), text: () => $("article").focus(), list: () => { assessing.showList(); assessing.buttons.get(assessing.docno).focus(); },
  after: () => assessing.around(1), before: () => assessing.around(-1), start: () => assessing.hold(0), end: () => assessing.hold(1),
  firstEntry: () => assessing.change("entry point", { bep: -1 }),
};
const LETTERS = { h: "highlight", H: "highlight", Enter: "highlight", x: "remove", Delete: "remove", b: "entry", B: "firstEntry", z: "undo", y: "redo",
  q: "words", n: "nothing", d: "done", "?": "help", "]": "next", "[": "previous", u: "unsure", m: "note", t: "text", a: "list",
  j: "after", k: "before", s: "start", e: "end" };

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (document.querySelector("dialog[open]") || target.matches("textarea, select, input:not([type=checkbox])")) {
    if (key === "Escape" && target === $("note")) $("article").focus();
    return;
  }
  if (event.ctrlKey || event.metaKey) {
    const name = { z: event.shiftKey ? "redo" : "undo", Z: "redo", y: "redo" }[key];
    if (name && !comparing.shown) { event.preventDefault(); DO[name](); }
    if (key.length === 1) return;
  }
  if (event.altKey && key.length === 1) return;
  if (comparing.shown) return comparing.key(event);
  const side = [$("from"), $("to")].indexOf(target);
  if (side >= 0) return handleKey(event, side);
  if (target === $("article") && moveCaret(assessing.rendered, event, assessing.article.offset)) {
    event.preventDefault();
    assessing.snaps = false;
    noteSelection();
    const focus = getSelection();
    assessing.reveal(assessing.rendered.offsets.points(assessing.rendered.unit(focus.focusNode, focus.focusOffset)));
    return;
  }
  if (key === "Enter" && target !== $("article")) return; // a button's own
  if (key in LETTERS) { event.preventDefault(); DO[LETTERS[key]](event); }
});

function handleKey(event, side) {
  const direction = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  if (direction) {
    event.preventDefault();
    assessing.nudge(side, direction, event.ctrlKey || event.shiftKey || event.altKey ? "word" : "grapheme");
    assessing.reveal(assessing.state.highlights[assessing.active][side]);
    event.target.focus({ preventScroll: true });
  } else if (["Escape", "Enter"].includes(event.key)) {
    event.preventDefault();
    $("article").focus({ preventScroll: true });
  } else if (event.key in LETTERS) {
    event.preventDefault();
    DO[LETTERS[event.key]]();
  }
}

function noteSelection() {
  const span = selectedSpan(assessing.rendered);
  if (span) assessing.selected = span;
  assessing.place();
}

document.addEventListener("selectionchange", () => {
  if (!comparing.shown && assessing.rendered && document.activeElement?.id !== "note") noteSelection();
});

for (const button of document.querySelectorAll("[data-do], #float")) {
  button.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", (event) => DO[button.dataset.do ?? "highlight"](event));
}

$("article").addEventListener("pointerdown", () => {
  assessing.snaps = true;
  document.addEventListener("pointerup", ({ shiftKey }) => { assessing.snaps = !shiftKey; }, { once: true });
});

// a click on a highlight chooses it; one on plain text lets it go
$("article").addEventListener("click", (event) => {
  if (!getSelection().isCollapsed) return;
  const at = offsetAt(assessing.rendered, event.clientX, event.clientY);
  const found = at === null ? -1 : assessing.state.highlights.findIndex(([start, end]) => start <= at && at < end);
  if (found !== assessing.active) assessing.choose(found, false);
});

// tables scroll by themselves
$("article").addEventListener("scroll", () => assessing.place(), { capture: true, passive: true });

$("margin").addEventListener("click", (event) => {
  const at = lineStart(assessing.rendered, event.clientY);
  if (at !== null) assessing.entry(at);
});

[$("from"), $("to")].forEach((handle, side) => {
  let at = null;
  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    at = null;
    handle.setPointerCapture(event.pointerId);
    $("scroll").classList.add("dragging");
  });
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const found = offsetAt(assessing.rendered, event.clientX, event.clientY);
    if (found === null) return;
    at = found;
    const span = [...assessing.state.highlights[assessing.active]];
    span[side] = side ? Math.max(at, span[0] + 1) : Math.min(at, span[1] - 1);
    paint("active", [assessing.rendered.range(...span)]);
    const box = boxAt(assessing.rendered, span[side], side === 1);
    if (box) assessing.marks.put(handle, side ? box.right - 4 : box.left - 20, side ? box.bottom - 6 : box.top - 18);
  });
  const release = (event) => {
    $("scroll").classList.remove("dragging");
    const { offsets } = assessing.rendered;
    if (at !== null && event.type === "pointerup") assessing.move(side, event.shiftKey ? at : offsets.snap(at, side ? 1 : -1));
    else assessing.show();
    at = null;
  };
  handle.addEventListener("pointerup", release);
  handle.addEventListener("pointercancel", release);
});

$("topics").addEventListener("change", async () => {
  if (comparing.shown) await comparing.toggle();
  await assessing.openTopic($("topics").value);
});
$("list").addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.docno) assessing.open(button.dataset.docno);
});
if (matchMedia("(max-width: 60rem)").matches) $("list-box").open = false;
$("only-wanted").addEventListener("change", () => {
  assessing.listed = null;
  assessing.showList();
});
$("unsure").addEventListener("change", DO.unsure);
$("note").addEventListener("change", () => assessing.change("note", { note: $("note").value }));
let typing = 0;
$("note").addEventListener("input", () => {
  clearTimeout(typing);
  const { docno } = assessing;
  typing = setTimeout(() => {
    if (docno === assessing.docno && assessing.state.note !== $("note").value) assessing.change("note", { note: $("note").value });
  }, 800);
});
$("show-help").addEventListener("click", DO.help);
$("compare").addEventListener("click", () => comparing.toggle().catch((error) => assessing.tell(error.message, true)));
new ResizeObserver(() => assessing.place()).observe($("article"));

for (const name of ["pointerdown", "pointermove", "keydown", "scroll", "wheel", "touchmove"]) {
  document.addEventListener(name, () => { assessing.touched = Date.now(); }, { capture: true, passive: true });
}
setInterval(() => { // time counts while the page is seen and its reader did something in the last minute
  if (document.visibilityState === "visible" && Date.now() - assessing.touched < 60000) assessing.spent += 1;
  if (assessing.spent >= 15) assessing.flush();
}, 1000);
addEventListener("pagehide", () => assessing.flush(true));
addEventListener("beforeunload", (event) => {
  if (assessing.state && $("note").value !== assessing.state.note) assessing.change("note", { note: $("note").value });
  if (assessing.saver.running) event.preventDefault();
});
addEventListener("unhandledrejection", ({ reason }) => {
  assessing.tell(reason instanceof Refused ? reason.message : `No answer (${reason.message}); is the server still running?`, true);
});
$("conflict").addEventListener("cancel", (event) => event.preventDefault()); // Escape decides nothing

if (data.mode === "file") {
  $("save-file").hidden = false;
  $("save-file").addEventListener("click", () => {
    const { backend } = assessing;
    backend.assessor ||= (prompt("Your name, for the file") ?? "").trim();
    if (!backend.assessor) return assessing.tell("The file needs your name", true);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([backend.lines()], { type: "application/x-ndjson" }));
    link.download = `judgments-${backend.assessor.replace(/[^\p{L}\p{N}_-]+/gu, "_")}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

showKeys();
if (!globalThis.Highlight || !Intl.Segmenter) {
  assessing.tell("This browser is too old for this page: take Chrome 105, Safari 17.2 or Firefox 140, or a later one", true);
} else {
  assessing.start().catch((error) => assessing.tell(error.message, true));
}
