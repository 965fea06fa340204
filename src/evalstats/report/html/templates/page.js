"use strict";
// Searches, orders, traces, copies. Everything reads without it; the numbers are never touched.
const start = (result) => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  all("[data-tools],[data-copy],[data-save]").forEach((tool) => { tool.hidden = false; });

  // An item that is pointed at or focused is marked in the picture.
  const traced = (event) => {
    const link = event.target.closest ? event.target.closest(".ids a") : null;
    return link ? byId(link.getAttribute("href").slice(1)) : null;
  };
  const trace = (on) => (event) => {
    const mark = traced(event);
    if (!mark) return;
    mark.classList.toggle("hot", on);
    if (on) mark.parentNode.append(mark); // above its neighbours
  };
  [["pointerover", true], ["focusin", true], ["pointerout", false], ["focusout", false]]
    .forEach(([name, on]) => document.addEventListener(name, trace(on)));

  // The flipped items: by text, and by which run was right.
  all("[data-tools]").filter((tools) => byId(tools.dataset.tools)).forEach((tools) => {
    const lists = byId(tools.dataset.tools);
    const find = tools.querySelector("input");
    const count = tools.querySelector("[data-count]");
    const items = all(".ids li", lists);
    let side = "";
    const show = () => {
      const wanted = find.value.trim().toLowerCase();
      let shown = 0;
      all("[data-list]", lists).forEach((list) => { list.hidden = side !== "" && list.dataset.list !== side; });
      items.forEach((item) => {
        item.hidden = wanted !== "" && !item.textContent.toLowerCase().includes(wanted);
        if (!item.hidden && !item.closest("[data-list]").hidden) shown += 1;
      });
      if (wanted) all(".more", lists).forEach((more) => { more.open = true; });
      count.textContent = wanted || side ? `${shown} of ${items.length} shown` : "";
    };
    find.addEventListener("input", show);
    all("[data-side]", tools).forEach((button) => button.addEventListener("click", () => {
      side = button.dataset.side;
      all("[data-side]", tools).forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      show();
    }));
  });

  // The rows of a forest, ordered and filtered by the numbers of the result.
  const table = document.querySelector("[data-forest]") && document.querySelector("table.forest");
  if (table) {
    const body = table.tBodies[0];
    const rows = all("tr", body);
    const tools = document.querySelector("[data-forest]");
    const records = result.comparisons || result.scores || result.slices || result.benchmarks[0].runs;
    const value = (row, key) => {
      const found = key.split(".").reduce((at, name) => (at == null ? at : at[name]), records[row.dataset.row]);
      return found == null ? Number.NEGATIVE_INFINITY : found;
    };
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
    const order = tools.querySelector("select");
    const find = tools.querySelector("input");
    const count = tools.querySelector("[data-count]");
    const sort = (key, down) => {
      const sorted = key ? [...rows].sort((a, b) => (down ? -1 : 1) * compare(value(a, key), value(b, key))) : rows;
      body.append(...sorted);
      all("thead th", table).forEach((head) => {
        if (head.dataset.key) head.removeAttribute("aria-sort");
        if (key && head.dataset.key === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      });
    };
    let state = "";
    const filter = () => {
      const wanted = find.value.trim().toLowerCase();
      const shown = rows.filter((row) => {
        const text = row.querySelector("th").textContent.toLowerCase();
        row.hidden = !(text.includes(wanted) && (state === "" || row.dataset.state === state));
        return !row.hidden;
      });
      count.textContent = shown.length < rows.length ? `${shown.length} of ${rows.length} shown` : "";
    };
    order.addEventListener("change", () => {
      const [key, down] = order.value.split(" ");
      sort(key, down === "down");
    });
    find.addEventListener("input", filter);
    all("[data-state]", tools).forEach((button) => button.addEventListener("click", () => {
      state = button.dataset.state;
      all("[data-state]", tools).forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      filter();
    }));
    const heads = all("thead th[data-key]", table);
    const dress = () => heads.forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        sort(head.dataset.key, head.getAttribute("aria-sort") !== "descending");
        order.value = "";
      });
    });
    dress();
    // On paper a header repeats, but not a button in it.
    addEventListener("beforeprint", () => heads.forEach((head) => head.replaceChildren(...head.firstChild.childNodes)));
    addEventListener("afterprint", dress);
  }

  // A link to a part that is folded opens it.
  const reveal = () => {
    const target = location.hash.length > 1 ? byId(decodeURIComponent(location.hash.slice(1))) : null;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target && target.tagName === "DETAILS") target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  const said = byId("said");
  all("[data-copy]").forEach((button) => button.addEventListener("click", () => {
    const text = byId(button.dataset.copy);
    const done = () => { button.textContent = said.textContent = "Copied"; };
    const select = () => getSelection().selectAllChildren(text);
    if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).then(done, select);
    else select();
  }));
  all("[data-save]").forEach((button) => button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(result, null, 2), "\n"], { type: "application/json" }));
    link.download = button.dataset.save;
    link.click();
    URL.revokeObjectURL(link.href);
  }));
  addEventListener("beforeprint", () => all("details.more").forEach((fold) => { fold.open = true; }));
};

// A large result is packed: deflated, with columns for rows of one kind.
const inRows = (value) => {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(inRows);
  const fields = Object.entries(value).map(([name, part]) => [name, inRows(part)]);
  if (fields.length !== 1 || fields[0][0] !== "\0") return Object.fromEntries(fields);
  const columns = Object.entries(fields[0][1]);
  return columns[0][1].map((_, at) => Object.fromEntries(columns.map(([name, column]) => [name, column[at]])));
};
const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return inRows(await new Response(stream).json());
};
const carrier = document.getElementById("result");
if (carrier.type === "application/json") start(JSON.parse(carrier.textContent));
else unpacked(carrier.textContent).then(start);
