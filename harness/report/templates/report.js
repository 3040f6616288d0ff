// What the page can do beyond being read: sort tables, and search and order the translations. Nothing here is needed
// to read it, and nothing leaves it.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) sortable(table);
for (const section of document.querySelectorAll(".translations")) browsable(section);
for (const note of document.querySelectorAll(".noscript")) note.remove();

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      // Figures begin with the greatest, texts with the first letter.
      const first = head.classList.contains("n") ? "descending" : "ascending";
      const other = first === "descending" ? "ascending" : "descending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach(h => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      sort(table.tBodies[0], column, order === "ascending" ? 1 : -1);
    });
  });
}

function sort(body, column, sign) {
  const key = row => {
    const cell = row.cells[column];
    return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
  };
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (typeof x === "number" && typeof y === "number") return sign * (x - y);
    // What has no figure comes last, whichever way.
    if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
    return sign * x.localeCompare(y, undefined, { numeric: true });
  };
  body.append(...[...body.rows].sort(compare));
}

function browsable(section) {
  const data = section.querySelector(".data");
  if (!data) return;
  const [head, lines] = JSON.parse(data.textContent);
  const [list, more, found] = [".lines", ".more", ".found"].map(name => section.querySelector(name));
  const [find, order] = [".find", ".order"].map(name => section.querySelector(name));
  const page = 50;
  let hits = lines, shown = list.children.length;
  const orders = [
    () => 0,
    (a, b) => a[0] - b[0],
    (a, b) => b[1].length - a[1].length || a[0] - b[0],
  ];
  const show = () => {
    list.append(...hits.slice(shown, shown + page).map(line => drawn(head, line)));
    shown = Math.min(hits.length, shown + page);
    more.hidden = shown >= hits.length;
    found.textContent = `${hits.length} of ${lines.length} lines`;
  };
  const update = () => {
    const wanted = find.value.toLowerCase();
    hits = wanted ? lines.filter(line => haystack(head, line).includes(wanted)) : [...lines];
    if (order.value !== "0") hits = [...hits].sort(orders[order.value]);
    list.replaceChildren();
    shown = 0;
    show();
  };
  section.querySelector(".browse").hidden = false;
  more.hidden = shown >= lines.length;
  found.textContent = `${lines.length} lines`;
  more.addEventListener("click", show);
  order.addEventListener("change", update);
  let waiting;
  find.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(update, 120); });
}

// Numbers in letters: one of the first `last` letters ends a number, the others go on.
function numbers(head, text) {
  const out = [], more = head.letters.length - head.last;
  let rest = 0;
  for (const letter of text) {
    const digit = head.letters.indexOf(letter);
    if (digit >= head.last) { rest = rest * more + digit - head.last; continue; }
    out.push(rest * head.last + digit);
    rest = 0;
  }
  return out;
}

// A line as it reads: its number, source, references, and each text's words.
function read(head, line) {
  head.all ||= head.words.split(" ");
  const all = text => numbers(head, text).map(number => head.all[number]);
  const own = all(line[3]);
  const texts = [];
  for (const text of line[4]) texts.push(typeof text === "number" ? texts[text] : numbers(head, text).map(n => own[n]));
  return { number: line[0], source: all(line[1]).join(" "), references: line[2].map(r => all(r).join(" ")), texts };
}

function haystack(head, line) {
  if (!line.hay) {
    const { source, references, texts } = read(head, line);
    line.hay = [source, ...references, ...new Set(texts)].map(text => Array.isArray(text) ? text.join(" ") : text).join("\n").toLowerCase();
  }
  return line.hay;
}

function drawn(head, line) {
  const { number, source, references, texts } = read(head, line);
  const item = document.createElement("li");
  paragraph(item, "source", number, source);
  for (const reference of references) paragraph(item, "reference", "reference", reference);
  const spread = new Map();
  for (const text of texts) for (const word of new Set(text)) spread.set(word, (spread.get(word) || 0) + 1);
  const rare = word => texts.length > 1 && spread.get(word) * 2 <= texts.length;
  for (const text of new Set(texts)) {
    const names = head.names.filter((_, i) => texts[i] === text).flat();
    marked(paragraph(item, "", names.join(", "), ""), text, rare);
  }
  return item;
}

function paragraph(item, name, label, text) {
  const p = document.createElement("p");
  if (name) p.className = name;
  p.dir = "auto";
  const b = document.createElement("b");
  // A direction of its own: the text's must not follow from the label.
  b.dir = "auto";
  b.textContent = label;
  p.append(b, " ", text);
  item.append(p);
  return p;
}

function marked(p, text, rare) {
  let run = "", was = false;
  const flush = () => {
    if (!run) return;
    const node = was ? document.createElement("mark") : document.createTextNode("");
    node.textContent = run;
    p.append(node);
    run = "";
  };
  text.forEach((word, i) => {
    if (rare(word) !== was) { flush(); was = !was; }
    run += (i ? " " : "") + word;
  });
  flush();
}
