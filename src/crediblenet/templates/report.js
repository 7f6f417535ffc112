"use strict";
// The report's interactive parts. Everything readable without them is already in the page;
// this file adds the drawing of the network, sorting, searching and pointing.

(() => {
  const { CERTAIN, SVG, put, probability, short, clip, bar, drawLink, drawNode } = drawing;
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const $ = (id) => document.getElementById(id);
  const names = data.variables.map((variable) => variable.name);
  const nameOf = (v) => names[v];
  const layOut = (links) => drawing.layOut(names, links);
  const isolate = (text) => `\u2068${text}\u2069`;
  const edges = data.edges.map(([source, target, directed, adjacent, compelled, optimal, ...levels], index) =>
    ({ index, source, target, directed, adjacent, compelled, optimal, levels }));
  const edgeBetween = new Map(edges.map((e) => [`${e.source},${e.target}`, e]));
  const reverse = (e) => edgeBetween.get(`${e.target},${e.source}`);

  // ---------------------------------------------------------------- the consensus network

  const svg = $("graph");
  const state = { mode: "directed", threshold: 0.5, chosen: null, chosenEdge: null, layout: null, view: null };

  // The edges to show: {source, target, p, arrow, paired, edge}.
  function visibleLinks() {
    const { mode, threshold } = state;
    const reaches = (p) => p !== null && p > 0 && p >= threshold - 1e-9;
    if (mode === "optimal") return edges.filter((e) => e.optimal).map((e) => ({ ...e, p: e.directed, arrow: true, edge: e }));
    const links = [];
    for (const e of edges) {
      const back = reverse(e);
      const forward = !back || e.directed > back.directed || (e.directed === back.directed && e.source < e.target);
      if (mode !== "adjacent" && reaches(e[mode])) {
        links.push({ ...e, p: e[mode], arrow: true, paired: Boolean(back && reaches(back[mode])), edge: e });
      } else if (forward && reaches(e.adjacent) && (mode === "adjacent" || (mode === "directed" && $("undecided").checked))) {
        links.push({ ...e, p: e.adjacent, arrow: false, paired: false, edge: e });
      }
    }
    return links;
  }

  // The first layout: the more probable direction of every pair that is more likely connected
  // than not, or the best network when there is no such pair.
  function firstLayout() {
    const likely = edges.filter((e) => {
      const back = reverse(e);
      return e.adjacent >= 0.5 && (!back || e.directed > back.directed || (e.directed === back.directed && e.source < e.target));
    });
    const used = likely.length ? likely : edges.filter((e) => e.optimal);
    return layOut(used.map((e) => ({ source: e.source, target: e.target, p: e.adjacent })));
  }

  function drawGraph() {
    const links = visibleLinks();
    const hadFocus = svg.contains(document.activeElement);
    svg.replaceChildren();
    const lines = put(svg, "g"), boxes = put(svg, "g");
    const near = new Set(state.chosen === null ? [] : [state.chosen]);
    state.layout.labels = [];
    // Weak edges first, so that strong ones lie on top.
    for (const link of [...links].sort((a, b) => a.p - b.p)) {
      const group = drawLink(lines, state.layout, { ...link, label: $("numbers").checked ? short(link.p) : "" });
      group.dataset.edge = link.edge.index;
      const touches = link.source === state.chosen || link.target === state.chosen;
      if (touches) near.add(link.source).add(link.target);
      group.classList.toggle("dim", state.chosen !== null && !touches);
      group.classList.toggle("chosen", state.chosenEdge === link.edge.index);
    }
    for (const node of state.layout.nodes) {
      const group = drawNode(boxes, node);
      group.dataset.variable = node.id;
      group.setAttribute("role", "button");
      group.setAttribute("aria-label", `${isolate(nameOf(node.id))}: show parents and Markov blanket`);
      group.setAttribute("aria-pressed", String(node.id === state.chosen));
      group.setAttribute("tabindex", node.id === (state.chosen ?? 0) ? "0" : "-1");
      group.classList.toggle("chosen", node.id === state.chosen);
      group.classList.toggle("dim", state.chosen !== null && !near.has(node.id));
    }
    if (hadFocus) svg.querySelector('[tabindex="0"]').focus({ preventScroll: true });
    describe(links);
  }

  function describe(links) {
    const open = links.filter((l) => !l.arrow).length, arrows = links.length - open;
    const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;
    const about = state.threshold >= CERTAIN ? "in every network" : `with probability ${state.threshold.toFixed(2)} or more`;
    const words = {
      directed: `${plural(arrows, "directed edge", "directed edges")} ${about}` +
        (open ? `, and ${plural(open, "connection", "connections")} whose direction is open.` : "."),
      adjacent: `${plural(open, "pair is", "pairs are")} connected, either way, ${about}.`,
      optimal: `The best network: ${plural(arrows, "edge", "edges")}, ` +
        `${links.filter((l) => l.p < 0.5).length} of them with a probability under 0.5.`,
      compelled: `${plural(arrows, "edge has", "edges have")} the same direction throughout the class, ${about}.`,
    };
    $("graph-status").textContent = words[state.mode];
    $("threshold-value").textContent = state.threshold.toFixed(2);
    $("undecided").disabled = state.mode !== "directed";
    $("threshold").disabled = state.mode === "optimal";
  }

  // ---------------------------------------------------------------- zooming and moving about

  function fit() {
    const { width, height } = state.layout, margin = 24;
    // The window grows with the network, but not beyond what a screen shows.
    const wanted = (height + 2 * margin) * Math.min(1, svg.clientWidth / (width + 2 * margin));
    svg.style.height = `${Math.max(Math.min(360, 0.8 * svg.clientWidth), Math.min(wanted, 0.82 * innerHeight, 960))}px`;
    // A small network is not blown up beyond reading size.
    const scale = Math.min(1.35, svg.clientWidth / (width + 2 * margin), svg.clientHeight / (height + 2 * margin)) || 1;
    const w = svg.clientWidth / scale, h = svg.clientHeight / scale;
    setView({ x: (width - w) / 2, y: (height - h) / 2, w, h }, false);
  }

  function setView(view, zoomed = true) {
    state.view = view;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
    svg.classList.toggle("zoomed", zoomed);
  }

  function zoom(factor, fx = 0.5, fy = 0.5) {
    const { x, y, w, h } = state.view;
    setView({ x: x + w * fx * (1 - factor), y: y + h * fy * (1 - factor), w: w * factor, h: h * factor });
  }

  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, view: state.view, moved: false };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag || (event.pointerType !== "mouse" && !svg.classList.contains("zoomed"))) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 5) return;
    if (!drag.moved) svg.setPointerCapture(event.pointerId);
    drag.moved = true;
    const scale = drag.view.w / svg.clientWidth;
    setView({ ...drag.view, x: drag.view.x - dx * scale, y: drag.view.y - dy * scale });
  });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { setTimeout(() => { drag = null; }); });
  // The bare wheel scrolls the page; with Ctrl (or a pinch on a touchpad) it zooms.
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(Math.exp(event.deltaY / 300), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  $("zoom-in").addEventListener("click", () => zoom(1 / 1.3));
  $("zoom-out").addEventListener("click", () => zoom(1.3));
  $("zoom-fit").addEventListener("click", fit);
  $("arrange").addEventListener("click", () => {
    state.layout = layOut(visibleLinks().filter((l) => !l.paired || l.source < l.target));
    drawGraph();
    fit();
  });
  new ResizeObserver(() => { if (!svg.classList.contains("zoomed")) fit(); }).observe(svg);

  // ---------------------------------------------------------------- details beside the drawing

  function nameButton(parent, variable) {
    const button = put(parent, "button", { type: "button", class: "link-button", title: nameOf(variable) });
    put(button, "bdi", { class: "name" }, nameOf(variable));
    button.addEventListener("click", () => choose(variable));
  }

  function probabilityRow(table, p, fill) {
    const row = put(table, "tr");
    fill(put(row, "td"));
    bar(put(row, "td", { class: "bar-cell" }), p);
    put(row, "td", { class: "number" }, probability(p));
  }

  function panelTitle(panel, fill) {
    const line = put(panel, "div", { class: "panel-title" });
    fill(put(line, "h3"));
    put(line, "button", { type: "button", "aria-label": "Close details" }, "×").addEventListener("click", () => choose(null));
  }

  function showVariable(panel, v) {
    const variable = data.variables[v];
    const about = put(panel, "div", { class: "block" });
    panelTitle(about, (title) => put(title, "bdi", { class: "name", title: variable.name }, variable.name));
    if (variable.nStates !== null) {
      const line = put(about, "p", { class: "caption" }, `${variable.nStates} values${variable.states.length ? ": " : ""}`);
      variable.states.forEach((s, k) => {
        if (k) line.append(", ");
        put(line, "bdi", {}, clip(s, 24));
      });
      if (variable.states.length && variable.nStates > variable.states.length) line.append(", …");
    }
    put(about, "h4", {}, "Possible parents");
    const sets = put(put(about, "table"), "tbody");
    for (const [p, ...parents] of variable.parentSets) {
      probabilityRow(sets, p, (cell) => {
        if (!parents.length) cell.textContent = "no parents";
        parents.forEach((parent, k) => {
          if (k) put(cell, "span", { class: "plus" }, " + ");
          nameButton(cell, parent);
        });
      });
    }
    const left = variable.nParentSets - variable.parentSets.length;
    if (left > 0) {
      const rest = Math.max(0, 1 - variable.parentSets.reduce((sum, [p]) => sum + p, 0));
      put(about, "p", { class: "caption" }, `and ${left.toLocaleString("en")} more, ${probability(rest)} together`);
    }
    if (variable.blanket) {
      const block = put(panel, "div", { class: "block" });
      put(block, "h4", {}, "Markov blanket");
      const meaning = "The variables that screen it off from all others" +
        (variable.blanketError > 0 ? `; by sampling, standard error up to ${probability(variable.blanketError)}.` : ".");
      put(block, "p", { class: "caption" }, meaning);
      const members = put(put(block, "table"), "tbody");
      for (const [member, p] of variable.blanket) probabilityRow(members, p, (cell) => nameButton(cell, member));
      const unseen = variable.nBlanket - variable.blanket.length;
      if (unseen > 0) put(block, "p", { class: "caption" }, `and ${unseen} less probable ones`);
      if (!variable.blanket.length) put(block, "p", {}, "empty in every network");
    }
  }

  function edgeFacts(e) {
    const back = reverse(e);
    const facts = [
      ["this direction", e.directed],
      ["other direction", back ? back.directed : 0],
      ["connected", e.adjacent],
    ];
    if (e.compelled !== null) facts.push(["direction compelled", e.compelled]);
    return facts;
  }

  function showEdge(panel, e) {
    panelTitle(panel, (title) => {
      put(title, "bdi", { class: "name", title: nameOf(e.source) }, nameOf(e.source));
      title.append(" → ");
      put(title, "bdi", { class: "name", title: nameOf(e.target) }, nameOf(e.target));
    });
    const facts = put(put(panel, "table"), "tbody");
    for (const [label, p] of edgeFacts(e)) probabilityRow(facts, p, (cell) => { cell.textContent = label; });
    if (e.levels.length > 1) {
      put(panel, "h4", {}, "This direction, by Bayes factor");
      const levels = put(put(panel, "table"), "tbody");
      e.levels.forEach((p, k) => probabilityRow(levels, p, (cell) => { cell.textContent = data.levels[k]; }));
    }
    put(panel, "p", { class: "caption" }, e.optimal ? "The best network has this edge." : "The best network does not have this edge.");
  }

  function choose(variable, edge = null) {
    state.chosen = variable;
    state.chosenEdge = edge;
    $("variable").value = variable ?? "";
    const panel = $("details");
    panel.replaceChildren();
    if (variable !== null) showVariable(panel, variable);
    else if (edge !== null) showEdge(panel, edges[edge]);
    else put(panel, "p", { class: "caption hint" }, "Choose a variable to see its possible parents and its Markov blanket, or an edge to see its numbers.");
    drawGraph();
  }

  svg.addEventListener("click", (event) => {
    if (drag?.moved) return;
    const node = event.target.closest("[data-variable]"), link = event.target.closest("[data-edge]");
    if (node) choose(Number(node.dataset.variable) === state.chosen ? null : Number(node.dataset.variable));
    else if (link) choose(null, Number(link.dataset.edge));
    else choose(null);
  });

  // Arrow keys go to the nearest variable that way.
  const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  svg.addEventListener("keydown", (event) => {
    const here = event.target.closest("[data-variable]");
    if (!here) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(Number(here.dataset.variable));
    } else if (event.key === "Escape") {
      choose(null);
    } else if (DIRECTIONS[event.key]) {
      event.preventDefault();
      const [dx, dy] = DIRECTIONS[event.key];
      const from = state.layout.nodes[here.dataset.variable];
      const distance = (n) => {
        const along = (n.x - from.x) * dx + (n.y - from.y) * dy, across = Math.abs((n.x - from.x) * dy + (n.y - from.y) * dx);
        return along > 1 ? along + 2 * across : Infinity;
      };
      const next = state.layout.nodes.reduce((a, b) => (distance(b) < distance(a) ? b : a));
      if (distance(next) === Infinity) return;
      here.setAttribute("tabindex", "-1");
      const target = svg.querySelector(`[data-variable="${next.id}"]`);
      target.setAttribute("tabindex", "0");
      target.focus();
    }
  });

  $("graph-controls").addEventListener("submit", (event) => event.preventDefault());
  for (const radio of document.querySelectorAll('input[name="mode"]')) {
    radio.addEventListener("change", () => { state.mode = radio.value; drawGraph(); });
  }
  $("threshold").addEventListener("input", (event) => { state.threshold = Number(event.target.value); drawGraph(); });
  $("variable").addEventListener("change", (event) => choose(event.target.value === "" ? null : Number(event.target.value)));
  $("numbers").addEventListener("change", drawGraph);
  $("undecided").addEventListener("change", drawGraph);

  // ---------------------------------------------------------------- pointing

  const tip = $("tip");

  function edgeTip(e) {
    const title = put(tip, "strong");
    put(title, "bdi", {}, clip(nameOf(e.source), 60));
    title.append(" → ");
    put(title, "bdi", {}, clip(nameOf(e.target), 60));
    for (const [label, p] of edgeFacts(e)) put(tip, "div", {}, `${label}: ${probability(p)}`);
  }

  function point(event) {
    const target = event.target.closest?.("svg [data-edge], svg [data-variable]");
    tip.hidden = !target || event.pointerType === "touch";
    if (tip.hidden) return;
    tip.replaceChildren();
    if (target.dataset.edge) edgeTip(edges[target.dataset.edge]);
    else put(tip, "bdi", {}, nameOf(target.dataset.variable));
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18}px`;
  }
  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", () => { tip.hidden = true; });

  const chart = $("curve"), cursor = chart.querySelector(".cursor"), words = $("curve-words"), wordsAtRest = words.textContent;
  chart.addEventListener("pointermove", (event) => {
    if (!data.curve.length) return;
    const box = chart.getBoundingClientRect();
    const x = (event.clientX - box.left) * (chart.viewBox.baseVal.width / box.width);
    const [cx, cy, text] = data.curve.reduce((a, b) => (Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a));
    cursor.setAttribute("cx", cx);
    cursor.setAttribute("cy", cy);
    cursor.removeAttribute("hidden");
    words.textContent = text;
  });
  chart.addEventListener("pointerleave", () => { cursor.setAttribute("hidden", ""); words.textContent = wordsAtRest; });

  // ---------------------------------------------------------------- the table of edges

  const body = $("edge-table").tBodies[0];
  const rows = [...body.rows].filter((row) => row.dataset.edge);

  function sortBy(header, column) {
    const numeric = header.dataset.kind === "number";
    const old = header.getAttribute("aria-sort");
    const order = old ? (old === "descending" ? "ascending" : "descending") : numeric ? "descending" : "ascending";
    for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const key = (row) => (numeric ? Number(row.cells[column].dataset.value) : row.cells[column].textContent);
    const keyed = rows.map((row) => [key(row), row]);
    keyed.sort(([a, p], [b, q]) => sign * (numeric ? a - b : a.localeCompare(b, "en", { numeric: true })) || p.dataset.edge - q.dataset.edge);
    body.append(...keyed.map(([, row]) => row));
  }

  [...$("edge-table").tHead.rows[0].cells].forEach((header, column) => {
    const label = header.textContent;
    header.textContent = "";
    put(header, "button", { type: "button" }, label).addEventListener("click", () => sortBy(header, column));
  });

  function search() {
    const wanted = $("edge-search").value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const e = edges[row.dataset.edge];
      const text = `${nameOf(e.source)} ${nameOf(e.target)}`.toLocaleLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    $("edge-count").textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} edges`;
  }
  $("edge-search").addEventListener("input", search);

  // ---------------------------------------------------------------- the classes

  function drawClass(details) {
    const target = details.querySelector(".cpdag");
    if (!details.open || target.childElementCount) return;
    const { directed, undirected } = data.classes[details.dataset.class];
    const links = [
      ...directed.map(([source, target]) => ({ source, target, p: 1, arrow: true })),
      ...undirected.map(([source, target]) => ({ source, target, p: 1, arrow: false })),
    ];
    const layout = layOut(links);
    for (const link of links) drawLink(target, layout, link, true);
    for (const node of layout.nodes) drawNode(target, node);
    const w = Math.max(layout.width + 32, target.clientWidth / 1.1), h = Math.max(layout.height + 32, target.clientHeight / 1.1);
    target.setAttribute("viewBox", `${(layout.width - w) / 2} ${(layout.height - h) / 2} ${w} ${h}`);
  }
  for (const details of document.querySelectorAll(".class")) details.addEventListener("toggle", () => drawClass(details));

  // ---------------------------------------------------------------- saving the picture

  const KEPT_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "paint-order",
    "opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "unicode-bidi"];

  // A picture for slides and print: always the light colours, cropped to the network.
  function picture() {
    document.documentElement.dataset.theme = "light";
    const copy = svg.cloneNode(true);
    const originals = svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((element, k) => {
      const style = getComputedStyle(originals[k]);
      for (const key of KEPT_STYLES) element.style.setProperty(key, style.getPropertyValue(key));
    });
    delete document.documentElement.dataset.theme;
    for (const hit of copy.querySelectorAll(".hit")) hit.remove();
    const width = state.layout.width + 40, height = state.layout.height + 40;
    for (const [key, value] of Object.entries({ xmlns: SVG, width, height, viewBox: `-20 -20 ${width} ${height}` })) copy.setAttribute(key, value);
    copy.removeAttribute("class");
    const paper = put(copy, "rect", { x: -20, y: -20, width, height, fill: "#ffffff" });
    copy.prepend(paper);
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  }

  function download(href, extension) {
    const link = put(document.body, "a", { href, download: `consensus-${state.mode}.${extension}` });
    link.click();
    link.remove();
  }

  $("save-svg").addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([picture().text], { type: "image/svg+xml" }));
    download(url, "svg");
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });
  $("save-png").addEventListener("click", () => {
    const { text, width, height } = picture();
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      const scale = Math.min(3, 12000 / Math.max(width, height));
      canvas.width = width * scale;
      canvas.height = height * scale;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      download(canvas.toDataURL("image/png"), "png");
    });
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });

  // ---------------------------------------------------------------- begin

  document.documentElement.classList.add("scripted");
  // Numbers on more lines than this only cover each other.
  $("numbers").checked = edges.filter((e) => e.adjacent >= 0.5).length <= 60;
  state.layout = firstLayout();
  choose(null);
  fit();
  search();
  document.querySelectorAll(".class[open]").forEach(drawClass);
})();
