// Workers that answer questions, and are ended after a time limit.

import source from "virtual:worker";

const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));

/** A worker with a time limit. ask(job, asked) returns a promise; if a question takes longer than `limit` milliseconds,
 * its worker is ended, and the next question gets a new one. */
export class Client {
  constructor(limit) {
    this.limit = limit;
    this.count = 0;
    this.open = new Map();
    this.worker = null; // started by the first question
  }

  start() {
    this.worker = new Worker(url);
    this.worker.onmessage = ({ data: { id, answer, failure } }) => {
      const asked = this.open.get(id);
      if (!asked) return;
      this.open.delete(id);
      clearTimeout(asked.timer);
      this.next();
      if (failure) {
        asked.reject(Object.assign(new Error(failure.message), { line: failure.line }));
      } else {
        asked.resolve(answer);
      }
    };
    this.worker.onerror = (event) => this.restart(new Error(event.message || "the worker failed"));
  }

  // The limit applies to the question in progress, the oldest.
  next() {
    const [oldest] = this.open.values();
    if (oldest && oldest.limited && !oldest.timer) {
      oldest.timer = setTimeout(() => {
        this.restart(Object.assign(new Error(`stopped: it took more than ${this.limit / 1000} seconds`), { stopped: true }));
      }, this.limit);
    }
  }

  /** Ends the worker and all its questions. */
  restart(reason = Object.assign(new Error("stopped"), { stopped: true })) {
    this.worker?.terminate();
    this.worker = null;
    const open = [...this.open.values()];
    this.open.clear();
    for (const { reject, timer } of open) {
      clearTimeout(timer);
      reject(reason);
    }
  }

  ask(job, asked) {
    return new Promise((resolve, reject) => {
      const id = ++this.count;
      this.open.set(id, { resolve, reject, timer: 0, limited: job !== "warm" });
      if (!this.worker) this.start();
      this.worker.postMessage({ id, job, asked });
      this.next();
    });
  }
}

/** Runs `work` for the newest argument only: while one runs, the last call waits; those between are dropped. */
export function latest(work) {
  let running = false, waiting = null;
  return async function run(...args) {
    if (running) {
      waiting = args;
      return;
    }
    running = true;
    try {
      await work(...args);
    } finally {
      running = false;
      if (waiting) {
        const next = waiting;
        waiting = null;
        run(...next);
      }
    }
  };
}
