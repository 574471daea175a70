
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
    const heads = headsOf(table);
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

  const rowsOf = table => Array.from(table.tBodies).flatMap(body => Array.from(body.rows));
  const headsOf = table => Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
  const isWords = cell => cell.classList.contains("w");

  // what is shown passes every test; its description, where there is one
  function filterRows(table, tests) {
    const rows = rowsOf(table);
    for (const row of rows) row.hidden = !tests.every(test => test(row));
    return tests.length ? `${rows.filter(row => !row.hidden).length} of ${rows.length} rows` : "";
  }

  function groupsOf(table) {
    const above = table.tHead.rows.length > 1 ? Array.from(table.tHead.rows[0].cells) : [];
    return above.flatMap(cell => {
      cell.dataset.span ??= String(cell.colSpan);
      return Array(Number(cell.dataset.span)).fill(cell);
    });
  }

  function filterColumns(table, tests) {
    const heads = headsOf(table), groups = groupsOf(table);
    const kept = heads.map((head, column) => isWords(head) || tests.every(test => test(column)));
    for (const row of [heads[0].parentNode, ...rowsOf(table)])
      kept.forEach((keep, column) => { row.cells[column].hidden = !keep; });
    for (const cell of new Set(groups)) {
      const many = groups.filter((group, column) => group === cell && kept[column]).length;
      cell.hidden = !many;
      if (many) cell.colSpan = many;
    }
    const numbers = kept.filter((_, column) => !isWords(heads[column]));
    return tests.length ? `${numbers.filter(Boolean).length} of ${numbers.length} columns` : "";
  }

  const rowText = row => Array.from(row.cells).filter(isWords).map(text).join(" ").toLocaleLowerCase();

  function columnTexts(table) {
    const groups = groupsOf(table);
    return headsOf(table).map((head, column) =>
      `${groups[column] ? text(groups[column]) : ""} ${text(head)}`.toLocaleLowerCase());
  }

  function filterable(sheet, table) {
    const controls = element("div", "", {className: "controls"});
    const status = element("output", "");
    const tests = {rows: new Map(), columns: new Map()}, said = {};
    const control = (label, made, event, act) => {
      made.addEventListener(event, act);
      const named = element("label", `${label} `);
      named.append(made);
      controls.append(named);
    };
    const filter = (of, key, test) => {
      tests[of].delete(key);
      if (test) tests[of].set(key, test);
      said[of] = (of === "rows" ? filterRows : filterColumns)(table, Array.from(tests[of].values()));
      status.textContent = Object.values(said).filter(Boolean).join(", ");
    };
    const search = (label, of, contents) => {
      const input = Object.assign(document.createElement("input"), {type: "search", autocomplete: "off"});
      control(label, input, "input", () => {
        const words = wanted(input);
        filter(of, label, words.length && (one => fits(contents(one), words)));
      });
    };
    const choice = (label, names, usual, act) => {
      const select = document.createElement("select");
      select.append(element("option", usual, {value: ""}), ...names.map(name => element("option", name, {value: name})));
      control(label, select, "change", () => act(select.value));
    };
    const choices = JSON.parse(sheet.dataset.choices ?? "{}");
    const rows = rowsOf(table);
    for (const {label, of, values} of choices.facets ?? []) {
      const known = of === "rows" ? new Map(rows.map((row, place) => [row, values[place]])) : new Map(Object.entries(values));
      const key = one => known.get(of === "rows" ? one : String(one));
      choice(label, Array.from(new Set(values)).filter(Boolean), "all", value =>
        filter(of, label, value && (one => !key(one) || key(one) === value)));
    }
    if (choices.variants) varied(table, rows, choices.variants, choice);
    const texts = columnTexts(table);
    if ("rows" in sheet.dataset) search("Filter rows", "rows", rowText);
    if ("columns" in sheet.dataset) search("Filter columns", "columns", column => texts[column]);
    if (!controls.hasChildNodes()) return;
    controls.append(status);
    sheet.prepend(controls);
  }

  // other contents of cells, such as the scores of one layer
  function varied(table, rows, {label, usual, names}, choice) {
    const cells = rows.flatMap(row => (row.dataset.variants ?? "").split("|").filter(Boolean).map(one => {
      const [column, ...texts] = one.split(";");
      const cell = row.cells[Number(column)];
      return {cell, texts, first: Array.from(cell.childNodes)};
    }));
    choice(label, names, usual, name => {
      table.classList.toggle("varied", name !== "");
      const place = names.indexOf(name);
      for (const {cell, texts, first} of cells)
        cell.replaceChildren(...(place < 0 ? first : [texts[place] || "–"]));
    });
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
