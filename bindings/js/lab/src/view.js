// The sample, coloured by what each byte was read as.

const element = document.getElementById("view");

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const shown = (text) => text
  .replace(/[&<>]/g, (c) => escapes[c])
  // eslint-disable-next-line no-control-regex
  .replace(/[\0-\x08\x0b-\x1f\x7f]/g, (c) => `<span class="control">${c === "\x7f" ? "\u2421" : String.fromCharCode(0x2400 + c.charCodeAt(0))}</span>`);

let spans = []; // of the shown text
let pointedAt = -1;

/** Shows `text` with these spans ({ from, to, kind, ... } in UTF-16 units). `held`: { from, to }; what follows `fedAt` is unread. */
export function draw(text, { spans: list, errors = [], heldAt, fedAt }) {
  spans = list;
  pointedAt = -1;
  const marks = errors.map(({ at, message }) => ({ at, html: `<i class="wrong" title="${message.replace(/[&<>"]/g, (c) => escapes[c] ?? "&quot;")}">⚠</i>` }))
    .sort((a, b) => a.at - b.at);
  let html = "", at = 0, mark = 0;
  const piece = (from, to, attributes) => {
    while (from < to || (mark < marks.length && marks[mark].at <= from)) {
      if (mark < marks.length && marks[mark].at <= from) {
        html += marks[mark++].html;
        continue;
      }
      const stop = mark < marks.length ? Math.min(marks[mark].at, to) : to;
      html += `<span ${attributes}>${shown(text.slice(from, stop))}</span>`;
      from = stop;
    }
  };
  list.forEach((span, i) => {
    if (span.from > at) {
      piece(at, span.from, 'class="k-held"');
    }
    piece(Math.max(at, span.from), span.to, `class="k-${span.kind}" data-i="${i}"`);
    at = Math.max(at, span.to);
  });
  piece(at, Math.max(at, heldAt), 'class="k-markup"');
  piece(Math.max(at, heldAt), fedAt, 'class="k-held"');
  piece(Math.max(at, fedAt), text.length, 'class="k-unread"');
  element.innerHTML = html;
}

/** Marks a piece by its number, and returns it. */
export function pointAt(i) {
  for (const old of element.querySelectorAll(".at")) old.classList.remove("at");
  pointedAt = spans[i] ? i : -1;
  for (const one of element.querySelectorAll(`[data-i="${pointedAt}"]`)) one.classList.add("at");
  return spans[i];
}

/** Marks a range of bytes, and scrolls there. */
export function showRange(start, end) {
  for (const old of element.querySelectorAll(".range")) old.classList.remove("range");
  let first = null;
  spans.forEach((span, i) => {
    if (span.start < Math.max(end, start + 1) && span.end > start) {
      for (const one of element.querySelectorAll(`[data-i="${i}"]`)) {
        one.classList.add("range");
        first ??= one;
      }
    }
  });
  first?.scrollIntoView({ block: "nearest" });
}

/** Calls tell(span or undefined, number) for the piece at the mouse pointer, or selected with the arrow keys. */
export function onPoint(tell) {
  const under = (event) => {
    const i = Number(event.target.dataset?.i ?? -1);
    if (i >= 0 && i !== pointedAt) tell(pointAt(i), i);
  };
  element.addEventListener("mousemove", under);
  element.addEventListener("click", under); // touch screens have no pointer
  element.addEventListener("mouseleave", () => {
    pointAt(-1);
    tell(undefined, -1);
  });
  element.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || spans.length === 0) return;
    event.preventDefault();
    const i = Math.min(Math.max(pointedAt + step, 0), spans.length - 1);
    tell(pointAt(i), i);
    element.querySelector(`[data-i="${i}"]`)?.scrollIntoView({ block: "nearest" });
  });
}
