// Several assessors' judgments of one article side by side, and the decision between them.
class Adjudicating {
  constructor(assessing) {
    this.assessing = assessing;
    this.shown = false;
  }

  async toggle() {
    this.shown = !this.shown;
    document.body.classList.toggle("comparing", this.shown);
    $("pair").hidden = $("pair-actions").hidden = !this.shown;
    $("compare").setAttribute("aria-pressed", String(this.shown));
    if (!this.shown) return this.assessing.openTopic(this.assessing.qid, this.assessing.docno);
    this.list = await this.assessing.backend.ask("doubled", { qid: this.assessing.qid });
    this.at = Math.max(0, this.list.findIndex((entry) => !entry.adjudicated));
    return this.open();
  }

  async open() {
    const entry = this.list[this.at];
    $("title").textContent = "Comparing ...";
    if (!entry) {
      $("title").textContent = "No article that you have finished is judged by somebody else too";
      for (const name of PAINTS) paint(name, []);
      $("pair").replaceChildren();
      $("pair-actions").replaceChildren();
      return;
    }
    const found = await this.assessing.backend.ask("compare", { qid: this.assessing.qid, docno: entry.docno });
    this.found = found;
    const agreed = found.decidable || found.adjudicated ? "" : " - they agree";
    const decided = found.adjudicated ? ` - decided: ${found.adjudicated.highlights.length} highlights` : "";
    $("title").replaceChildren(isolated`${found.article.title} (${this.at + 1} of ${this.list.length}${decided}${agreed})`);
    const sections = found.judgments.map(({ assessor, state }) => this.column(assessor, state, found.article));
    const columns = document.createElement("div");
    columns.id = "pair-columns";
    columns.append(...sections.map(({ section }) => section));
    $("pair").replaceChildren(this.agreement(found.agreement), columns);
    paint("words", []);
    paint("active", []);
    paint("relevant", sections.flatMap(({ rendered }, k) =>
      found.judgments[k].state.highlights.map(([start, end]) => rendered.range(start, end))));
    this.offer();
  }

  column(assessor, state, article) {
    const section = document.createElement("section");
    section.tabIndex = 0;
    section.setAttribute("aria-label", `Judgment of ${assessor}`);
    const count = state.highlights.length;
    const verdict = count ? `${count} highlight${count === 1 ? "" : "s"}` : "nothing relevant";
    section.append(filled("h3", isolated`${assessor}: ${verdict}${state.unsure ? ", unsure" : ""}${state.note && " - "}${state.note}`));
    const host = document.createElement("div");
    section.append(host);
    const rendered = new Rendered(host, { ...article });
    section.addEventListener("scroll", () => { // the same text stands at the same height in all columns
      for (const other of $("pair").querySelectorAll("section")) if (other !== section) other.scrollTop = section.scrollTop;
    });
    return { section, rendered };
  }

  agreement(rows) {
    const box = filled("p", ...rows.map(({ first, second, unit, pooled, units, band }) =>
      isolated`${first} and ${second}, ${units} ${unit}: kappa ${pooled === null ? "-" : pooled.toFixed(3)}${band ? ` (${band})` : ""}; `));
    box.id = "agreement";
    return box;
  }

  choices() {
    const states = this.found.judgments.map(({ state }) => state);
    const spans = states.map(({ highlights }) => highlights);
    const same = states.every(({ bep }) => bep === states[0].bep) ? states[0].bep : -1;
    const choices = this.found.judgments.map(({ assessor, state }, k) =>
      ({ key: String(k + 1), label: `Take ${assessor}'s`, shown: isolated`Take ${assessor}'s`,
        highlights: state.highlights, bep: state.bep }));
    const all = spans.reduce(union), shared = spans.reduce(intersection);
    choices.push({ key: "u", label: "Union", highlights: all, bep: all.length ? same : -1 });
    choices.push({ key: "i", label: "Intersection", highlights: shared, bep: shared.length ? same : -1 });
    return choices;
  }

  offer() {
    const choices = this.found.decidable ? this.choices() : [];
    const buttons = choices.map((choice) => this.button(choice.shown ?? choice.label, choice.key, () => this.decide(choice)));
    buttons.push(this.button("Previous", "[", () => this.go(-1)), this.button("Next", "]", () => this.go(1)));
    buttons.push(this.button("Back to assessing", "c", () => this.toggle()));
    $("pair-actions").replaceChildren(...buttons);
  }

  button(label, key, act) {
    const button = filled("button", label, " ", filled("kbd", key));
    button.dataset.key = key;
    button.addEventListener("click", act);
    return button;
  }

  async decide({ label, highlights, bep }) {
    const entry = this.list[this.at];
    const state = { highlights, bep, status: "judged", unsure: false, note: "" };
    const given = { qid: this.assessing.qid, docno: entry.docno, version: this.found.version, action: label, state, id: newId() };
    const answer = await this.assessing.backend.ask("decide", given);
    if (answer.conflict) {
      this.assessing.tell("Somebody else has decided this article meanwhile; look at it again", true);
      return this.open();
    }
    entry.adjudicated = true;
    this.assessing.tell(isolated`Saved: ${label}, ${entry.title}`, false);
    const next = this.list.findIndex((other) => !other.adjudicated);
    if (next >= 0) this.at = next;
    return this.open();
  }

  go(direction) {
    if (!this.list[this.at + direction]) return;
    this.at += direction;
    this.open();
  }

  key(event) {
    if (event.key === "?") $("help").showModal();
    const button = [...$("pair-actions").querySelectorAll("button")].find(({ dataset }) => dataset.key === event.key);
    if (!button) return;
    event.preventDefault();
    button.click();
  }
}
