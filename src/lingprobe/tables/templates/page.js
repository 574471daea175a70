
"use strict";
(() => {
  const text = cell => cell.textContent.trim();
  const value = cell => {
    const number = parseFloat(text(cell).replace(/,/g, "").replace(/−/g, "-").replace(/^[^\d+-]+/, ""));
    return Number.isNaN(number) ? null : number;
  };
  const element = (name, content, properties = {}) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(content);
    return made;
  };

  // what cannot be compared stands last in either order
  const compared = (one, two, sign) =>
    one === null || two === null ? (one === null) - (two === null)
      : sign * (typeof one === "string" ? one.localeCompare(two, undefined, {numeric: true}) : one - two);

  function sort(table, heads, head, column) {
    const words = head.classList.contains("w");
    const orders = words ? ["ascending", "descending", "none"] : ["descending", "ascending", "none"];
    const order = orders[(orders.indexOf(head.getAttribute("aria-sort") ?? "none") + 1) % 3];
    heads.forEach(other => other.setAttribute("aria-sort", other === head ? order : "none"));
    const sign = order === "ascending" ? 1 : -1;
    for (const body of table.tBodies) {
      const rows = Array.from(body.rows, (row, place) => {
        row.dataset.place ??= String(place);
        const cell = row.cells[column];
        return {row, place: Number(row.dataset.place), key: words ? text(cell) : value(cell)};
      });
      rows.sort((one, two) =>
        (order === "none" ? 0 : compared(one.key, two.key, sign)) || one.place - two.place);
      body.append(...rows.map(each => each.row));
    }
  }

  function sortable(table) {
    const heads = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
    if (!Array.from(table.tBodies).some(body => body.rows.length > 1)) return;
    heads.forEach((head, column) => {
      if (!text(head)) return;
      const button = element("button", text(head), {type: "button"});
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => sort(table, heads, head, column));
    });
  }

  const fits = (content, words) => words.every(word => content.includes(word));
  const wanted = input => input.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);

  function filterRows(table, words) {
    let shown = 0, every = 0;
    for (const row of Array.from(table.tBodies).flatMap(body => Array.from(body.rows))) {
      const names = Array.from(row.cells).filter(cell => cell.classList.contains("w"));
      row.hidden = !fits(names.map(text).join(" ").toLocaleLowerCase(), words);
      shown += !row.hidden;
      every += 1;
    }
    return `${shown} of ${every} rows`;
  }

  function filterColumns(table, words) {
    const above = table.tHead.rows.length > 1 ? Array.from(table.tHead.rows[0].cells) : [];
    const groups = above.flatMap(cell => {
      cell.dataset.span ??= String(cell.colSpan);
      return Array(Number(cell.dataset.span)).fill(cell);
    });
    const heads = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
    const kept = heads.map((head, column) => head.classList.contains("w")
      || fits(`${groups[column] ? text(groups[column]) : ""} ${text(head)}`.toLocaleLowerCase(), words));
    for (const row of [heads[0].parentNode, ...Array.from(table.tBodies).flatMap(body => Array.from(body.rows))])
      kept.forEach((keep, column) => { row.cells[column].hidden = !keep; });
    for (const cell of above) {
      const many = groups.filter((group, column) => group === cell && kept[column]).length;
      cell.hidden = !many;
      if (many) cell.colSpan = many;
    }
    const numbers = heads.map((head, column) => [head, kept[column]]).filter(([head]) => !head.classList.contains("w"));
    return `${numbers.filter(([, keep]) => keep).length} of ${numbers.length} columns`;
  }

  function filterable(sheet, table) {
    const controls = element("div", "", {className: "controls"});
    const status = element("output", "");
    const said = {};
    const add = (key, label, filter) => {
      const input = Object.assign(document.createElement("input"), {type: "search", autocomplete: "off"});
      input.addEventListener("input", () => {
        const words = wanted(input);
        const counted = filter(table, words);
        said[key] = words.length ? counted : "";
        status.textContent = Object.values(said).filter(Boolean).join(", ");
      });
      const named = element("label", `${label} `);
      named.append(input);
      controls.append(named);
    };
    if ("rows" in sheet.dataset) add("rows", "Filter rows", filterRows);
    if ("columns" in sheet.dataset) add("columns", "Filter columns", filterColumns);
    if (!controls.querySelector("input")) return;
    controls.append(status);
    sheet.prepend(controls);
  }

  function copyable(figure) {
    const button = element("button", "Copy", {type: "button"});
    button.addEventListener("click", async () => {
      const code = figure.querySelector("code");
      getSelection().selectAllChildren(code);
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Selected";
      }
    });
    figure.querySelector("figcaption").append(" ", button);
  }

  function saved(figure) {
    const button = element("button", "Save the figure", {type: "button"});
    button.addEventListener("click", () => {
      const drawn = new XMLSerializer().serializeToString(figure.querySelector("svg"));
      const link = element("a", "", {download: "figure.svg"});
      link.href = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn)}`;
      link.click();
    });
    figure.append(button);
  }

  for (const sheet of document.querySelectorAll(".sheet")) {
    const table = sheet.querySelector("table");
    sortable(table);
    filterable(sheet, table);
  }
  document.querySelectorAll("figure.code").forEach(copyable);
  document.querySelectorAll("figure.picture").forEach(saved);
})();
