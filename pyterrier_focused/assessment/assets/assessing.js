// The page itself: one article of one topic at a time, what is done to it, and where to go next.
class Assessing {
  constructor(backend) {
    this.backend = backend;
    this.saver = new Saver(backend, (message, bad) => this.tell(message, bad), (...given) => this.conflict(...given));
    this.marks = new Marks($("scroll"));
    this.words = false;
    this.snaps = false; // whether what is selected was selected by a pointer, and without Shift
    this.before = null; // the article that was finished last
    this.spent = 0;
    this.touched = Date.now();
  }

  tell(message, bad) {
    $("saved").replaceChildren(message);
    $("saved").classList.toggle("bad", bad);
  }

  async start() {
    const { topics, place, last, assessor, several } = await this.backend.ask("start", {});
    if (!topics.length) return this.tell("The pool is empty", true);
    Object.assign(this, { topics, several });
    document.title = `Assess - ${assessor}`;
    $("compare").hidden = !several;
    const topic = topics.find(({ qid, left }) => qid === place?.[0] && left) ?? topics.find(({ left }) => left)
      ?? topics.find(({ qid }) => qid === place?.[0]) ?? topics[0];
    await this.openTopic(topic.qid, topic.qid === place?.[0] ? place[1] : undefined, true);
    if (last?.[0] === this.qid && last[1] !== this.docno) this.before = last[1];
  }

  // open an article of a topic; *toJudge*: the first from there on that is still to judge
  async openTopic(qid, docno, toJudge = !docno) {
    await this.saver.running;
    if (this.qid) this.topics = (await this.backend.ask("start", {})).topics; // how far they have come
    this.before = null;
    this.qid = qid;
    this.topic = this.topics.find((topic) => topic.qid === qid);
    await this.readPool();
    showTopics(this.topics, qid);
    showQuery(this.topic);
    const open = this.entries.get(docno);
    const first = (toJudge && open?.status !== "started" && this.nextWanted(docno)) || open || this.list[0];
    await this.open(first.docno);
  }

  async readPool() {
    this.list = await this.backend.ask("pool", { qid: this.qid });
    this.entries = new Map(this.list.map((entry) => [entry.docno, entry]));
  }

  // the next article to judge, from *docno* on
  nextWanted(docno) {
    const at = Math.max(0, this.list.findIndex((entry) => entry.docno === docno));
    return [...this.list.slice(at), ...this.list.slice(0, at)].find((entry) => entry.wanted);
  }

  async open(docno) {
    this.flush();
    const { qid } = this;
    const asked = (this.asked = Symbol(docno));
    let article;
    do { // again, where something was done to the article while it was asked for
      await this.saver.running;
      article = await this.backend.ask("article", { qid, docno });
    } while (asked === this.asked && (this.saver.running || this.saver.version(qid, docno) > article.version));
    if (asked !== this.asked) return; // another one was asked for meanwhile
    this.docno = docno;
    this.saver.know(qid, docno, article.version);
    Object.assign(this, { article, state: article.state, ...replay(article.actions), active: -1, selected: null });
    getSelection().removeAllRanges();
    $("title").textContent = article.title;
    $("title").dir = "auto";
    this.rendered = new Rendered($("article"), article);
    showOutline(this.rendered, (dom) => {
      dom.scrollIntoView();
      select(this.rendered, this.rendered.offsets.points(this.rendered.unit(dom, 0)));
      $("article").focus({ preventScroll: true });
    });
    this.showList();
    this.paintWords();
    this.show();
    $("scroll").scrollTop = 0;
    if (article.offset > 0) this.reveal(article.offset);
    this.progress();
  }

  // the list of articles around the one that is open, or around another position
  showList(position) {
    const entries = $("only-wanted").checked ? this.list.filter((entry) => entry.wanted || entry.docno === this.docno) : this.list;
    const at = entries.findIndex((entry) => entry.docno === this.docno);
    const same = !position && !$("only-wanted").checked && this.buttons?.has(this.docno) && this.listed === this.list;
    if (!same) this.buttons = showList(entries, position ?? at, (to) => this.showList(to));
    this.listed = this.list;
    for (const button of $("list").querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    this.buttons.get(this.docno)?.setAttribute("aria-current", "true");
    if (position === undefined) this.buttons.get(this.docno)?.scrollIntoView({ block: "nearest" });
  }

  // everything that depends on the judgment's state
  show() {
    const { highlights, bep } = this.state;
    this.active = Math.min(this.active, highlights.length - 1);
    const ranges = highlights.map(([start, end]) => this.rendered.range(start, end));
    paint("relevant", ranges.filter((_, at) => at !== this.active));
    paint("active", ranges.filter((_, at) => at === this.active));
    showJudgment(this.state, this.rendered.offsets, this.active, {
      choose: (at) => this.choose(at), remove: (at) => { this.active = at; this.remove(); },
    });
    this.place();
    const entry = this.entries.get(this.docno);
    Object.assign(entry, { unsure: this.state.unsure, relevant: highlights.length > 0 });
    if (this.saver.version(this.qid, this.docno) || this.past.length) entry.status = this.state.status;
    if (entry.status === "judged") entry.wanted = false;
    if (this.buttons.has(this.docno)) labelItem(this.buttons.get(this.docno), entry);
    for (const [name, stack] of [["undo", this.past], ["redo", this.future]]) {
      document.querySelector(`[data-do=${name}]`).setAttribute("aria-disabled", String(!stack.length));
    }
  }

  place() {
    const { highlights, bep } = this.state ?? { highlights: [], bep: -1 };
    const entry = bep >= 0 ? bep : highlights[0]?.[0] ?? -1;
    this.marks.place(this.rendered, highlights, this.active, entry, this.selected);
  }

  progress() {
    const mine = this.list.filter((entry) => entry.status === "judged").length;
    const left = this.list.filter((entry) => entry.wanted).length;
    $("progress").textContent = this.several ? `${mine} of your ${mine + left} judged` : `${mine} of ${mine + left} judged`;
    Object.assign(this.topic, { mine, left });
    showTopics(this.topics, this.qid);
  }

  // one action: kept in the past, shown, and saved
  change(action, changes) {
    this.past.push(this.state);
    this.future.length = 0;
    this.become(action, { ...this.state, ...changes });
  }

  become(action, state) {
    if (this.state.status === "judged" && state.status !== "judged") this.entries.get(this.docno).wanted = true;
    this.state = state;
    this.show();
    this.saver.save(this.qid, this.docno, action, state);
    this.progress();
  }

  // what is selected becomes a highlight; what a pointer selected in whole words, unless *exact*
  highlight(exact) {
    let span = selectedSpan(this.rendered) ?? this.selected;
    if (!span || span[0] === span[1]) return this.tell("Select the relevant text first", false);
    if (this.snaps && !exact) span = this.rendered.offsets.snapped(span);
    const highlights = withSpan(this.state.highlights, span);
    this.active = highlights.findIndex(([start, end]) => start <= span[0] && span[1] <= end);
    select(this.rendered, span[1]);
    this.selected = [span[1], span[1]];
    this.change("highlight", { highlights });
  }

  remove() {
    if (!this.state.highlights[this.active]) return this.tell("Choose a highlight first: click it, or press j", false);
    this.change("delete", { highlights: this.state.highlights.filter((_, at) => at !== this.active) });
  }

  // move the start (0) or end (1) of the active highlight
  move(side, offset) {
    const span = [...this.state.highlights[this.active]];
    span[side] = side ? Math.max(offset, span[0] + 1) : Math.min(offset, span[1] - 1);
    if (span[side] === this.state.highlights[this.active][side]) return;
    const highlights = withSpan(this.state.highlights.filter((_, at) => at !== this.active), span);
    this.active = highlights.findIndex(([start, end]) => start <= span[0] && span[1] <= end);
    this.change("move", { highlights });
  }

  nudge(side, direction, granularity) {
    const { offsets } = this.rendered;
    const unit = offsets.units(this.state.highlights[this.active][side]);
    this.move(side, offsets.points(step(offsets.text, unit, direction, granularity)));
  }

  entry(offset) {
    const at = offset ?? selectedSpan(this.rendered)?.[0] ?? this.state.highlights[this.active]?.[0];
    if (at === undefined) return this.tell("Put the caret where reading should begin, then press b", false);
    this.change("entry point", { bep: at });
  }

  // what was finished last can be undone from the next article
  async undo(from = this.past, to = this.future, action = "undo") {
    if (!from.length && from === this.past && this.before) {
      const { before } = this;
      this.before = null;
      await this.open(before);
      [from, to] = [this.past, this.future];
    }
    if (!from.length) return;
    to.push(this.state);
    this.become(action, from.pop());
  }

  async finish(action, changes) {
    this.change(action, { ...changes, status: "judged" });
    this.before = this.docno;
    if (this.several) { // others have gone on meanwhile
      await this.saver.running;
      await this.readPool();
    }
    const next = this.nextWanted(this.before);
    if (next) return this.open(next.docno);
    await this.saver.running;
    this.topics = (await this.backend.ask("start", {})).topics;
    const at = this.topics.findIndex(({ qid }) => qid === this.qid);
    const topic = [...this.topics.slice(at + 1), ...this.topics.slice(0, at)].find(({ left }) => left);
    if (topic) {
      await this.openTopic(topic.qid);
      return this.tell("Saved. You are done with that topic; this is the next one", false);
    }
    showTopics(this.topics, this.qid);
    this.tell("Saved. You are done with this topic and all others", false);
    $("topics").focus();
  }

  nothing() {
    const { highlights } = this.state;
    if (highlights.length && !confirm("Delete this article's highlights and judge it as not relevant?")) return;
    this.finish("nothing relevant", { highlights: [], bep: -1 });
  }

  done() {
    if (this.state.highlights.length || confirm("Nothing is highlighted. Is nothing in this article relevant?")) this.finish("done", {});
  }

  choose(at, reveal = true) {
    this.active = at;
    this.show();
    if (reveal) this.reveal(this.state.highlights[at][0]);
  }

  around(direction) {
    const count = this.state.highlights.length;
    if (count) this.choose((this.active + direction + count + (this.active < 0 && direction < 0)) % count);
  }

  neighbour(direction) {
    const at = this.list.findIndex((entry) => entry.docno === this.docno) + direction;
    if (this.list[at]) this.open(this.list[at].docno);
  }

  // scroll so that an offset is in sight
  reveal(offset) {
    const box = boxAt(this.rendered, Math.min(offset, this.rendered.offsets.length - 1));
    if (!box) return;
    const page = $("scroll").getBoundingClientRect();
    const [top, bottom] = [Math.max(page.top, 0), Math.min(page.bottom, innerHeight)];
    if (box.top >= top && box.bottom <= bottom - 60) return;
    const scrolls = $("scroll").scrollHeight > $("scroll").clientHeight + 1;
    (scrolls ? $("scroll") : window).scrollBy({ top: box.top - (top + bottom) / 3 });
  }

  hold(side) {
    if (this.active < 0) this.around(1);
    if (this.active >= 0) (side ? this.marks.to : this.marks.from).focus({ preventScroll: true });
  }

  toggleWords() {
    this.words = !this.words;
    document.querySelector("[data-do=words]").setAttribute("aria-pressed", String(this.words));
    this.paintWords();
  }

  paintWords() {
    paint("words", this.words ? wordRanges(this.rendered, this.topic.query) : []);
  }

  // what becomes of a judgment that another tab has changed: mine, or null for theirs
  conflict(qid, docno, mine, theirs) {
    if (JSON.stringify(mine) === JSON.stringify(theirs)) return null;
    const title = this.entries.get(docno)?.title ?? docno;
    $("conflict-text").replaceChildren(isolated`"${title}": there it has ${theirs.highlights.length} highlights, here ${
      mine.highlights.length}. Both are kept in the record of actions; which one counts?`);
    $("conflict").showModal();
    return new Promise((done) => {
      const decide = (state) => () => {
        $("conflict").close();
        if (qid === this.qid && docno === this.docno) {
          this.state = state ?? theirs;
          this.past.push(mine, theirs);
          this.show();
        }
        done(state);
      };
      $("take-theirs").onclick = decide(null);
      $("keep-mine").onclick = decide(mine);
    });
  }

  // tell the time that was spent on the article, and where in it one is
  flush(leaving = false) {
    if (!this.rendered) return;
    const page = $("scroll").getBoundingClientRect();
    const offset = offsetAt(this.rendered, page.left + 60, Math.max(page.top, 0) + 12) ?? this.article.offset;
    const visit = { qid: this.qid, docno: this.docno, seconds: this.spent, offset };
    this.spent = 0;
    Promise.resolve(this.backend.ask("visit", visit, { keepalive: leaving })).catch(() => { this.spent += visit.seconds; });
  }
}
