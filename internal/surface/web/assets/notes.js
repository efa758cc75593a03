// Moving through search results, reading beside the list, and zooming into a graph. Without
// this script, links do the same with more steps.
"use strict";

// --- search ---

const wide = matchMedia("(min-width: 60rem)");

// A note opens beside the list if there is room, and the address changes so that it can be
// reopened. Modifier keys still open another tab.
addEventListener("click", (event) => {
  const hit = event.target.closest("a.hit");
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!hit || !plain || !wide.matches || !window.htmx) return;
  event.preventDefault();
  document.querySelectorAll("a.hit[aria-current]").forEach((other) => other.removeAttribute("aria-current"));
  hit.setAttribute("aria-current", "true");
  const preview = document.getElementById("preview");
  const opened = document.getElementById("opened");
  htmx.ajax("GET", hit.href, { target: preview, swap: "innerHTML" }).then(() => {
    if (!hit.hasAttribute("aria-current")) return; // another note was chosen in the meantime
    preview.scrollTop = 0;
    const here = new URL(location.href);
    here.searchParams.set("note", hit.dataset.note);
    here.hash = "";
    history.pushState({ preview: true }, "", here);
    shown = address();
    opened.textContent = preview.querySelector(".note-title") ? `${hit.textContent.trim()} is open beside the list` : ""; // otherwise the pane says why
  }, () => { opened.textContent = ""; });
});

// Back returns to what was shown before. A link to a heading or a footnote scrolls within
// the pane, and back to its top.
const address = () => location.pathname + location.search;
let shown = address();
addEventListener("htmx:replacedInHistory", () => { shown = address(); });
addEventListener("popstate", (event) => {
  if (document.getElementById("preview") && !event.state?.htmx && address() !== shown) location.reload();
});
addEventListener("hashchange", () => {
  const preview = document.getElementById("preview"), to = preview?.querySelector(":target");
  if (to) to.scrollIntoView();
  else if (preview && !location.hash) preview.scrollTop = 0;
});

// The cursor starts at the end of the query; text typed before the scripts had loaded is
// searched for as soon as they have.
const asked = document.getElementById("q");
asked?.setSelectionRange(asked.value.length, asked.value.length);
addEventListener("DOMContentLoaded", () => {
  if (asked && asked.value !== asked.defaultValue) asked.dispatchEvent(new Event("search"));
});

// The arrow keys move from the field through the list and back, and from the line of an
// open note into the note and back.
addEventListener("keydown", (event) => {
  const field = document.getElementById("q"), preview = document.getElementById("preview");
  if (!field || !["ArrowDown", "ArrowUp", "ArrowRight", "Escape"].includes(event.key) || event.isComposing) return;
  const hits = [...document.querySelectorAll("a.hit")];
  const at = hits.indexOf(document.activeElement), open = hits.find((hit) => hit.hasAttribute("aria-current"));
  if (event.key === "Escape" && preview.contains(document.activeElement)) (open ?? field).focus();
  if (document.activeElement !== field && at < 0) return;
  if (event.key === "ArrowRight") {
    if (at >= 0 && hits[at] === open) preview.focus();
    return;
  }
  if (event.key === "Escape") {
    if (at >= 0) field.focus();
    return;
  }
  const to = at + (event.key === "ArrowDown" ? 1 : -1);
  if (to >= hits.length || (at < 0 && event.key === "ArrowUp")) return;
  event.preventDefault();
  (to < 0 ? field : hits[to]).focus();
});

// --- graph ---

// A name chosen from the suggestions is shown at once.
addEventListener("input", (event) => {
  const chosen = !event.inputType || event.inputType === "insertReplacementText";
  if (event.target.id === "graph-note" && chosen && event.target.value) event.target.form.requestSubmit();
});

const canvas = document.getElementById("graph-canvas");
if (canvas) zoomable(canvas);

// turn makes a wide picture tall, for tall screens.
function turn(svg) {
  const swap = (element, pairs) => pairs.forEach(([first, other]) => {
    const value = element.getAttribute(first);
    element.setAttribute(first, element.getAttribute(other));
    element.setAttribute(other, value);
  });
  svg.querySelectorAll("a.node").forEach((node) => swap(node, [["data-x", "data-y"]]));
  svg.querySelectorAll("circle").forEach((shape) => swap(shape, [["cx", "cy"]]));
  svg.querySelectorAll("rect").forEach((shape) => swap(shape, [["x", "y"]]));
  svg.querySelectorAll("line").forEach((line) => swap(line, [["x1", "y1"], ["x2", "y2"]]));
}

function zoomable(canvas) {
  const svg = canvas.querySelector("svg");
  const { width: across, height: down } = svg.viewBox.baseVal;
  canvas.classList.add("live");
  document.querySelector(".zoom").hidden = false;
  const upright = svg.clientHeight > svg.clientWidth;
  if (upright) turn(svg);
  const full = { x: 0, y: 0, width: upright ? down : across, height: upright ? across : down };
  const nodes = [...svg.querySelectorAll("a.node")].map((link) => ({
    link, text: link.querySelector("text"), x: +link.dataset.x, y: +link.dataset.y, r: +link.dataset.r,
  }));
  const lines = [...svg.querySelectorAll("line")].map((line) => ({
    line, ends: [[line.x1, line.y1], [line.x2, line.y2]].map(([x, y]) => ({ x: x.baseVal.value, y: y.baseVal.value })),
  }));
  let zoom = 1, x = full.x + full.width / 2, y = full.y + full.height / 2;

  // show centres the view on x, y. Labels keep their size, so that more of them fit as one
  // zooms in.
  function show() {
    zoom = Math.min(8, Math.max(1, zoom));
    const width = full.width / zoom, height = full.height / zoom;
    x = Math.min(full.x + full.width - width / 2, Math.max(full.x + width / 2, x));
    y = Math.min(full.y + full.height - height / 2, Math.max(full.y + height / 2, y));
    svg.setAttribute("viewBox", [x - width / 2, y - height / 2, width, height].map((n) => n.toFixed(1)).join(" "));
    canvas.classList.toggle("near", zoom > 1); // at full size, a finger scrolls the page
    label(unit());
  }
  // unit is the size of a pixel in the units of the picture.
  function unit() {
    return Math.max(full.width / zoom / svg.clientWidth, full.height / zoom / svg.clientHeight);
  }
  function label(pixel) {
    svg.querySelector(".nodes").setAttribute("font-size", (12.5 * pixel).toFixed(2));
    const taken = nodes.map((n) => [n.x - n.r, n.y - n.r, n.x + n.r, n.y + n.r]);
    const free = (box) => box[0] >= 0 && box[1] >= 0 && box[2] <= full.width && box[3] <= full.height && !taken.some((t) => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3]);
    for (const n of nodes) {
      const w = (6 + [...n.text.textContent].reduce((sum, c) => sum + (c.codePointAt(0) >= 0x1100 ? 13.8 : 6.9), 0)) * pixel, h = 16 * pixel;
      const sides = {
        below: [n.x - w / 2, n.y + n.r, n.x + w / 2, n.y + n.r + h], right: [n.x + n.r, n.y - h / 2, n.x + n.r + w, n.y + h / 2],
        left: [n.x - n.r - w, n.y - h / 2, n.x - n.r, n.y + h / 2], above: [n.x - w / 2, n.y - n.r - h, n.x + w / 2, n.y - n.r],
      };
      const side = Object.keys(sides).find((name) => free(sides[name]));
      place(n, side ?? "below");
      n.link.classList.toggle("labelled", side !== undefined || n.link.classList.contains("centre"));
      if (side) taken.push(sides[side]);
    }
  }
  function place(n, side) {
    const [dx, dy, em] = { below: [0, n.r, ".95em"], above: [0, -n.r, "-.3em"], right: [n.r + 2, 0, ".35em"], left: [-n.r - 2, 0, ".35em"] }[side];
    n.text.setAttribute("class", side);
    n.text.setAttribute("x", n.x + dx);
    n.text.setAttribute("y", n.y + dy);
    n.text.setAttribute("dy", em);
  }
  // at is the position of an event in the picture.
  function at(event) {
    const matrix = svg.getScreenCTM().inverse();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  }
  function toward(point, factor) {
    const before = zoom;
    zoom = Math.min(8, Math.max(1, zoom * factor));
    x = point.x + (x - point.x) * before / zoom;
    y = point.y + (y - point.y) * before / zoom;
    show();
  }
  const middle = () => ({ x, y });
  const fit = () => { zoom = 1; show(); };

  // At full size, the wheel scrolls the page.
  canvas.addEventListener("wheel", (event) => {
    if (zoom === 1 && event.deltaY > 0) return;
    event.preventDefault();
    toward(at(event), Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0018)));
  }, { passive: false });

  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    if (fingers.size === 1) moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const pixel = unit(), dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved > 4 && !canvas.hasPointerCapture(event.pointerId)) {
      canvas.setPointerCapture(event.pointerId);
      canvas.classList.add("held");
    }
    const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
    fingers.set(event.pointerId, event);
    if (other) {
      const apart = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY);
      toward(at({ clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 }), apart(event) / Math.max(1, apart(before)));
    } else if (zoom > 1) {
      x -= dx * pixel;
      y -= dy * pixel;
      show();
    }
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size === 0) canvas.classList.remove("held");
    });
  }
  // The end of a drag is not a click on a note, and links are not dragged.
  canvas.addEventListener("click", (event) => { if (moved > 4) event.preventDefault(); }, true);
  canvas.addEventListener("dragstart", (event) => event.preventDefault());

  canvas.addEventListener("keydown", (event) => {
    const step = full.width / zoom / 10;
    const keys = {
      ArrowLeft: () => { x -= step; show(); }, ArrowRight: () => { x += step; show(); }, ArrowUp: () => { y -= step; show(); }, ArrowDown: () => { y += step; show(); },
      "+": () => toward(middle(), 1.4), "=": () => toward(middle(), 1.4), "-": () => toward(middle(), 1 / 1.4), 0: fit,
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.querySelector(".zoom").addEventListener("click", (event) => {
    const way = event.target.closest("button")?.dataset.zoom;
    if (way === "fit") fit();
    else if (way) toward(middle(), way === "in" ? 1.5 : 1 / 1.5);
  });

  // A note that gets the keyboard focus scrolls into view.
  svg.addEventListener("focusin", (event) => {
    const n = nodes.find((node) => node.link === event.target.closest("a.node"));
    const view = svg.viewBox.baseVal;
    if (!n || (n.x > view.x && n.x < view.x + view.width && n.y > view.y && n.y < view.y + view.height)) return;
    [x, y] = [n.x, n.y];
    show();
  });

  // Pointing at a note highlights its links.
  function light(event) {
    const link = event.target.closest?.("a.node");
    const lit = event.type === "pointerover" || event.type === "focusin" ? nodes.find((n) => n.link === link) : undefined;
    for (const { line, ends } of lines) {
      line.classList.toggle("lit", Boolean(lit) && ends.some((end) => Math.hypot(end.x - lit.x, end.y - lit.y) < lit.r + 4));
    }
  }
  for (const name of ["pointerover", "pointerout", "focusin", "focusout"]) svg.addEventListener(name, light);
  new ResizeObserver(show).observe(svg);
  show();
}
