"use strict";
// Drawing networks: words for numbers, layers by dagre, boxes and lines as SVG.
// Names come from data files, so text enters the page only through textContent.

const drawing = (() => {
  const CERTAIN = 1 - 1e-9;
  const SVG = "http://www.w3.org/2000/svg";

  // ---------------------------------------------------------------- small helpers

  function put(parent, tag, attributes = {}, text = null) {
    const inSvg = tag === "svg" || (parent.namespaceURI === SVG && parent.tagName !== "foreignObject");
    const element = inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== null) element.textContent = text;
    parent.append(element);
    return element;
  }

  // The same rules as crediblenet.report.text: 0 and 1 stand only for what is exactly so.
  function probability(p) {
    if (p <= 0) return "0";
    if (p >= CERTAIN) return "1";
    if (p < 0.0005) return "<0.001";
    return p >= 0.9995 ? ">0.999" : p.toFixed(3);
  }

  const short = (p) => (p >= CERTAIN ? "1" : p < 0.005 ? "<.01" : p >= 0.995 ? ">.99" : p.toFixed(2).slice(1));
  const step = (p) => (p < 0.01 ? 0 : Math.min(10, Math.ceil(10 * p)));
  const certainty = (p) => (p >= 0.95 ? "sure" : p >= 0.5 ? "likely" : "weak");
  const clip = (text, length) => ([...text].length > length ? [...text].slice(0, length - 1).join("") + "…" : text);

  function bar(parent, p) {
    const svg = put(parent, "svg", { class: "bar", "aria-hidden": "true" });
    put(svg, "rect", { width: `${(100 * p).toFixed(1)}%`, height: "100%" });
  }

  // ---------------------------------------------------------------- layered layout and drawing

  const measure = document.createElement("canvas").getContext("2d");
  // Large networks are drawn tighter, so that more of them can be read at once.
  const ROOMY = { height: 34, padding: 26, nodesep: 30, edgesep: 18, ranksep: 62 };
  const TIGHT = { height: 28, padding: 16, nodesep: 16, edgesep: 10, ranksep: 40 };

  function textWidth(label) {
    measure.font = `14px ${getComputedStyle(document.body).fontFamily}`;
    return measure.measureText(label).width;
  }

  // Whether the straight lines of two edges cross.
  function cross([a, b], [c, d]) {
    const side = (p, q, r) => Math.sign((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
    const apart = a !== c && a !== d && b !== c && b !== d;
    return apart && side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
  }

  // The parts of the network that no edge connects, each as a list of variables.
  function parts(nodes, links) {
    const part = nodes.map((node) => [node.id]);
    for (const { source, target } of links) {
      const [kept, merged] = [part[source], part[target]];
      if (kept === merged) continue;
      kept.push(...merged);
      for (const id of merged) part[id] = kept;
    }
    return [...new Set(part)];
  }

  // Places one part in layers (dagre). dagre's rule against crossings depends on the order in
  // which it is told the edges: of a few orders, the one with the fewest crossings, then the
  // shortest lines.
  function layered(nodes, links, room) {
    const orders = [
      (a, b) => a.source - b.source || a.target - b.target,
      (a, b) => a.target - b.target || a.source - b.source,
      (a, b) => b.source - a.source || b.target - a.target,
      (a, b) => b.p - a.p || a.source - b.source || a.target - b.target,
    ];
    let best = null;
    for (const order of links.length > 1 ? orders : orders.slice(0, 1)) {
      const graph = new dagre.graphlib.Graph();
      graph.setGraph({ rankdir: "TB", nodesep: room.nodesep, edgesep: room.edgesep, ranksep: room.ranksep });
      for (const { id, width, height } of nodes) graph.setNode(String(id), { width, height });
      for (const l of [...links].sort(order)) graph.setEdge(String(l.source), String(l.target), { weight: 1 + Math.round(4 * l.p) });
      dagre.layout(graph);
      const lines = links.map((l) => [graph.node(String(l.source)), graph.node(String(l.target))]);
      const crossings = lines.reduce((sum, line, k) => sum + lines.slice(k + 1).filter((other) => cross(line, other)).length, 0);
      const length = lines.reduce((sum, [a, b]) => sum + Math.hypot(a.x - b.x, a.y - b.y), 0);
      if (!best || crossings < best.crossings || (crossings === best.crossings && length < best.length)) best = { graph, crossings, length };
    }
    return best.graph;
  }

  // Places all variables: the parts in layers, and side by side on as many shelves as make a
  // page of pleasant proportions, tall ones first.
  function layOut(names, links) {
    const room = names.length > 24 ? TIGHT : ROOMY;
    const nodes = names.map((name, id) => {
      const label = clip(name, innerWidth < 640 ? 14 : 22);
      return { id, label, width: Math.max(40, textWidth(label) + room.padding), height: room.height, x: 0, y: 0 };
    });
    const pieces = parts(nodes, links).map((ids) => {
      const inside = links.filter((l) => ids.includes(l.source));
      const graph = layered(ids.map((id) => nodes[id]), inside, room);
      return { ids, links: inside, graph, width: graph.graph().width, height: graph.graph().height };
    });
    pieces.sort((a, b) => b.height - a.height || Math.min(...a.ids) - Math.min(...b.ids));

    const gap = 2 * room.nodesep;
    const area = pieces.reduce((sum, piece) => sum + (piece.width + gap) * (piece.height + gap), 0);
    const page = Math.max(Math.sqrt(1.8 * area), ...pieces.map((piece) => piece.width));
    const shelfWidth = (shelf) => shelf.reduce((sum, piece) => sum + piece.width + gap, -gap);
    const shelves = [[]];
    for (const piece of pieces) {
      if (shelves.at(-1).length && shelfWidth([...shelves.at(-1), piece]) > page) shelves.push([]);
      shelves.at(-1).push(piece);
    }
    const width = Math.max(...shelves.map(shelfWidth));
    const routes = new Map();
    let top = 0;
    for (const shelf of shelves) {
      let left = (width - shelfWidth(shelf)) / 2;
      for (const { ids, links: inside, graph, width: pieceWidth } of shelf) {
        const moved = ({ x, y }) => ({ x: x + left, y: y + top });
        for (const id of ids) Object.assign(nodes[id], moved(graph.node(String(id))));
        // Between neighbouring layers nothing is in the way of a straight line; dagre's
        // detours matter where an edge passes other layers.
        const layers = [...new Set(ids.map((id) => nodes[id].y))].sort((a, b) => a - b);
        const depth = (id) => layers.indexOf(nodes[id].y);
        for (const { source, target } of inside) {
          if (Math.abs(depth(source) - depth(target)) < 2) continue;
          routes.set(`${source},${target}`, graph.edge(String(source), String(target)).points.map(moved));
        }
        left += pieceWidth + gap;
      }
      top += shelf[0].height + room.ranksep;
    }
    return { nodes, routes, width, height: top - room.ranksep };
  }

  // Where the line from a node's centre towards a point leaves its box.
  function border(node, towards) {
    const dx = towards.x - node.x, dy = towards.y - node.y;
    const scale = 1 / Math.max(Math.abs(dx) / (node.width / 2), Math.abs(dy) / (node.height / 2), 1e-9);
    return { x: node.x + dx * scale, y: node.y + dy * scale };
  }

  // An edge the layout did not know of bends around the boxes in its way: of a few bends, the
  // one that meets the fewest boxes.
  function bend(layout, a, b, bends) {
    let best = null;
    for (const amount of bends) {
      const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      const middle = {
        x: (a.x + b.x) / 2 - ((b.y - a.y) / length) * amount,
        y: (a.y + b.y) / 2 + ((b.x - a.x) / length) * amount,
      };
      let met = 0;
      for (let k = 1; k < 24; k++) {
        const t = k / 24, u = 1 - t;
        const x = u * u * a.x + 2 * u * t * middle.x + t * t * b.x;
        const y = u * u * a.y + 2 * u * t * middle.y + t * t * b.y;
        for (const n of layout.nodes) {
          if (n !== a && n !== b && Math.abs(n.x - x) < n.width / 2 + 4 && Math.abs(n.y - y) < n.height / 2 + 4) met += 1;
        }
      }
      if (!best || met < best.met) best = { met, middle };
      if (met === 0) break;
    }
    return [border(a, best.middle), best.middle, border(b, best.middle)];
  }

  function route(layout, link) {
    const a = layout.nodes[link.source], b = layout.nodes[link.target];
    if (link.paired) return bend(layout, a, b, [26, 60, 110]);
    const forward = layout.routes.get(`${link.source},${link.target}`);
    if (forward) return forward;
    const backward = layout.routes.get(`${link.target},${link.source}`);
    if (backward) return [...backward].reverse();
    return bend(layout, a, b, [0, 40, -40, 90, -90, 160, -160, 240, -240]);
  }

  // A uniform cubic B-spline: smooth, and never outside the corridor that dagre kept free.
  function curve(points) {
    const at = (...weighted) => {
      const sum = weighted.reduce(([x, y], [w, p]) => [x + w * p.x, y + w * p.y], [0, 0]);
      return `${sum[0].toFixed(1)} ${sum[1].toFixed(1)}`;
    };
    const first = points[0], last = points[points.length - 1];
    const padded = [first, ...points, last];
    let d = `M${at([1, first])}`;
    for (let i = 2; i < padded.length; i++) {
      const [p, q, r] = [padded[i - 1], padded[i], padded[i + 1] ?? last];
      d += `C${at([2 / 3, p], [1 / 3, q])} ${at([1 / 3, p], [2 / 3, q])} ${at([1 / 6, p], [4 / 6, q], [1 / 6, r])}`;
    }
    return `${d}L${at([1, last])}`;
  }

  // Draws one edge: {source, target, p, arrow, paired, label}.
  function drawLink(parent, layout, link, plain = false) {
    const points = route(layout, link).map((p) => ({ ...p }));
    const width = plain ? 1.6 : 1.2 + 4.3 * link.p;
    const group = put(parent, "g", { class: plain ? "link" : `link stroke-${step(link.p)}` });
    const tip = points[points.length - 1];
    if (link.arrow) {
      const before = points[points.length - 2];
      const length = Math.hypot(tip.x - before.x, tip.y - before.y) || 1;
      const ux = (tip.x - before.x) / length, uy = (tip.y - before.y) / length;
      const long = 8 + 1.5 * width, half = 3.5 + 0.9 * width;
      const base = { x: tip.x - ux * long, y: tip.y - uy * long };
      put(group, "path", {
        class: "head",
        d: `M${tip.x} ${tip.y}L${base.x - uy * half} ${base.y + ux * half}L${base.x + uy * half} ${base.y - ux * half}Z`,
      });
      points[points.length - 1] = base;
    }
    const d = curve(points);
    const line = put(group, "path", { class: `edge ${plain ? "" : certainty(link.p)}`, d, "stroke-width": width.toFixed(2) });
    if (link.label) {
      // Near the middle, but not on top of another edge's number.
      const places = [0.5, 0.4, 0.6, 0.3, 0.7].map((t) => line.getPointAtLength(line.getTotalLength() * t));
      const place = places.find((p) => (layout.labels ?? []).every((q) => Math.hypot(p.x - q.x, p.y - q.y) > 22)) ?? places[0];
      layout.labels?.push(place);
      put(group, "text", { class: "edge-label", x: place.x, y: place.y }, link.label);
    }
    if (!plain) put(group, "path", { class: "hit", d });
    return group;
  }

  function drawNode(parent, node) {
    const group = put(parent, "g", { class: "node", transform: `translate(${node.x} ${node.y})` });
    put(group, "rect", { x: -node.width / 2, y: -node.height / 2, width: node.width, height: node.height, rx: 8 });
    put(group, "text", {}, node.label);
    return group;
  }

  return { CERTAIN, SVG, put, probability, short, clip, bar, layOut, drawLink, drawNode };
})();
