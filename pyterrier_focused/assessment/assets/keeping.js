// Where judgments are kept: by the server, or in the browser; and the queue that saves one action after the other.
class Refused extends Error {}

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

class ServerBackend {
  async ask(action, given, options = {}) {
    const answer = await fetch(action, {
      method: "POST", body: JSON.stringify(given), headers: { "Content-Type": "application/json" }, ...options,
    });
    const found = await answer.json();
    if (answer.ok) return found;
    if (answer.status === 409) return { conflict: found };
    throw new Refused(found.error ?? `the server answers ${answer.status}`);
  }
}

const EMPTY = { highlights: [], bep: -1, status: "started", unsure: false, note: "" };

// what undo and redo go back to, from the record of an article's actions: [action, the state after it] each
function replay(actions) {
  const past = [], future = [];
  let state = EMPTY;
  for (const [action, next] of actions) {
    if (action === "undo") {
      past.pop();
      future.push(state);
    } else {
      if (action === "redo") future.pop();
      else future.length = 0;
      past.push(state);
    }
    state = next;
  }
  return { past, future };
}

// A page that was sent to an assessor: articles are in the page, judgments in the browser's own storage.
class FileBackend {
  constructor(data) {
    this.data = data;
    this.articles = new Map(data.articles.map((article) => [article.docno, article]));
  }
  get assessor() {
    return this.data.assessor || (localStorage.getItem(this.key("assessor")) ?? "");
  }
  set assessor(name) {
    localStorage.setItem(this.key("assessor"), name);
  }
  key(...names) {
    return JSON.stringify(["pyterrier-focused", this.data.id, ...names]);
  }
  record(qid, docno) {
    const kept = JSON.parse(localStorage.getItem(this.key(qid, docno)));
    return { version: 0, state: EMPTY, actions: [], seconds: 0, offset: 0, time: "", ...kept };
  }
  keep(qid, docno, record) {
    localStorage.setItem(this.key(qid, docno), JSON.stringify(record));
  }
  docnos(qid) {
    return this.data.topics.find((topic) => topic.qid === qid).docnos;
  }
  async ask(action, given) {
    return this[action](given);
  }
  start() {
    const topics = this.data.topics.map((topic) => {
      const mine = topic.docnos.filter((docno) => this.record(topic.qid, docno).state.status === "judged").length;
      return { ...topic, mine, left: topic.docnos.length - mine };
    });
    const [place, last] = ["place", "last"].map((name) => JSON.parse(localStorage.getItem(this.key(name))));
    return { topics, assessor: this.assessor, place, last };
  }
  pool({ qid }) {
    return this.docnos(qid).map((docno) => {
      const { version, state } = this.record(qid, docno);
      const { title, text } = this.articles.get(docno);
      return { docno, title, length: text.length, status: version ? state.status : "", unsure: state.unsure,
        relevant: state.highlights.length > 0, wanted: state.status !== "judged" };
    });
  }
  article({ qid, docno }) {
    localStorage.setItem(this.key("place"), JSON.stringify([qid, docno]));
    return { ...this.articles.get(docno), ...this.record(qid, docno) };
  }
  save({ qid, docno, version, action, state }) {
    const record = this.record(qid, docno);
    if (record.version !== version) return { conflict: record };
    const actions = [...record.actions, [action, state]];
    this.keep(qid, docno, { ...record, version: version + 1, state, actions, time: new Date().toISOString() });
    localStorage.setItem(this.key("last"), JSON.stringify(state.status === "judged" ? [qid, docno] : null));
    return { version: version + 1 };
  }
  visit({ qid, docno, seconds, offset }) {
    const record = this.record(qid, docno);
    this.keep(qid, docno, { ...record, seconds: record.seconds + seconds, offset });
    return {};
  }
  // the judgments as JSON lines, which read_qrels reads
  lines() {
    const lines = [];
    for (const { qid, docnos } of this.data.topics) {
      for (const docno of docnos) {
        const { version, state, seconds, time } = this.record(qid, docno);
        if (!version) continue;
        const length = new Offsets(this.articles.get(docno).text).length;
        lines.push(JSON.stringify({ qid, docno, assessor: this.assessor, label: state.highlights.length ? 1 : 0,
          ...state, length, time, seconds }) + "\n");
      }
    }
    return lines.join("");
  }
}

// Saves actions in their order, each until it is kept; tells how it stands by *tell(message, bad)*.
class Saver {
  constructor(backend, tell, conflict) {
    Object.assign(this, { backend, tell, conflict, queue: [], versions: new Map(), running: null });
  }
  key(qid, docno) {
    return JSON.stringify([qid, docno]);
  }
  know(qid, docno, version) {
    this.versions.set(this.key(qid, docno), version);
  }
  version(qid, docno) {
    return this.versions.get(this.key(qid, docno)) ?? 0;
  }
  save(qid, docno, action, state) {
    this.queue.push({ qid, docno, id: newId(), action, state: structuredClone(state) });
    this.tell("Saving ...", false);
    this.running ??= this.run();
    return this.running;
  }
  async run() {
    while (this.queue.length) {
      const next = this.queue[0];
      const key = this.key(next.qid, next.docno);
      let answer;
      try {
        answer = await this.backend.ask("save", { ...next, version: this.versions.get(key) });
      } catch (error) {
        this.tell(`Not saved: ${error.message}; trying again`, true);
        await new Promise((done) => setTimeout(done, error instanceof Refused ? 5000 : 500));
        continue;
      }
      this.queue.shift();
      if (answer.conflict) {
        const mine = this.queue.filter((entry) => this.key(entry.qid, entry.docno) === key).at(-1) ?? next;
        this.queue = this.queue.filter((entry) => this.key(entry.qid, entry.docno) !== key);
        this.versions.set(key, answer.conflict.version);
        const kept = await this.conflict(next.qid, next.docno, mine.state, answer.conflict.state);
        if (kept) this.queue.unshift({ ...mine, id: `${mine.id}k`, action: "keep mine", state: kept });
      } else {
        this.versions.set(key, answer.version);
      }
    }
    this.running = null;
    this.tell(`Saved ${new Date().toLocaleTimeString()}`, false);
  }
}
