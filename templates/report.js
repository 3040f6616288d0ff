// The page's additions to reading: tables that sort, translations that can be searched and ordered. The page can be
// read without this script, and the script makes no request.
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
      // Columns of figures begin with the greatest, columns of text with the first letter.
      const figures = head.classList.contains("n");
      const first = figures ? "descending" : "ascending";
      const other = first === "descending" ? "ascending" : "descending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach(h => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      sort(table.tBodies[0], column, figures, order === "ascending" ? 1 : -1);
    });
  });
}

function sort(body, column, figures, sign) {
  const key = row => {
    const cell = row.cells[column];
    const number = figures ? parseFloat(cell.textContent.replaceAll(",", "")) : NaN;
    return isNaN(number) ? cell.textContent : number;
  };
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (typeof x === "number" && typeof y === "number") return sign * (x - y);
    // Cells without a figure come last in both orders.
    if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
    return sign * x.localeCompare(y, undefined, { numeric: true });
  };
  body.append(...[...body.rows].sort(compare));
}

// The data of a section: { names, lines }. `names` has the systems of each output; a line has its number, source,
// references, its different texts, and in `given` for each output the index of its text.
function browsable(section) {
  const data = section.querySelector(".data");
  if (!data) return;
  const { names, lines } = JSON.parse(data.textContent);
  const [list, more, found] = [".lines", ".more", ".found"].map(name => section.querySelector(name));
  const [find, order] = [".find", ".order"].map(name => section.querySelector(name));
  const page = 50;
  let hits = lines, shown = list.children.length;
  const orders = [
    () => 0,
    (a, b) => a.number - b.number,
    (a, b) => b.source.length - a.source.length || a.number - b.number,
  ];
  const show = () => {
    list.append(...hits.slice(shown, shown + page).map(line => drawn(names, line)));
    shown = Math.min(hits.length, shown + page);
    more.hidden = shown >= hits.length;
    found.textContent = `${hits.length} of ${lines.length} lines`;
  };
  const update = () => {
    const wanted = find.value.toLowerCase();
    hits = wanted ? lines.filter(line => searchText(line).includes(wanted)) : [...lines];
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

// All texts of a line in lower case, kept after the first search.
function searchText(line) {
  line.search ||= [line.source, ...line.references, ...line.texts].join("\n").toLowerCase();
  return line.search;
}

// A line as the page's own markup shows it.
function drawn(names, line) {
  const item = document.createElement("li");
  paragraph(item, "source", line.number, line.source);
  for (const reference of line.references) paragraph(item, "reference", "reference", reference);
  const texts = line.texts.map(text => text.split(" "));
  const spread = new Map();
  for (const i of line.given) for (const word of new Set(texts[i])) spread.set(word, (spread.get(word) || 0) + 1);
  const outputs = line.given.length;
  const rare = word => outputs > 1 && spread.get(word) * 2 <= outputs;
  texts.forEach((text, i) => {
    const systems = names.filter((_, output) => line.given[output] === i).flat();
    marked(paragraph(item, "", systems.join(", "), ""), text, rare);
  });
  return item;
}

function paragraph(item, name, label, text) {
  const p = document.createElement("p");
  if (name) p.className = name;
  p.dir = "auto";
  const b = document.createElement("b");
  // The label has its own direction, so that the text's direction follows from the text alone.
  b.dir = "auto";
  b.textContent = label;
  p.append(b, " ", text);
  item.append(p);
  return p;
}

// Appends the words of `text`, runs of rare words inside <mark>.
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
