/**
 * The one script of every page: search, filters, keys. It reads data attributes and writes text and `hidden`, never markup.
 * Without it the page shows everything.
 */
export const SCRIPT = String.raw`"use strict";
(() => {
const all = (selector) => [...document.querySelectorAll(selector)];
const field = document.getElementById("q"), told = document.getElementById("told");
const items = all("[data-find]"), sections = all("[data-section]"), buttons = all("[data-facet]");
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
let texts;
const chosen = {};
document.documentElement.classList.add("js");
const apply = () => {
  const words = plain(field.value).split(/\s+/).filter(Boolean);
  texts ??= words.length > 0 ? items.map((item) => plain(item.dataset.find)) : undefined;
  let shown = 0;
  items.forEach((item, index) => {
    const fits = words.every((word) => texts[index].includes(word)) &&
      Object.entries(chosen).every(([facet, value]) => !value || item.dataset[facet] === value);
    item.hidden = !fits;
    if (fits) shown += 1;
  });
  for (const section of sections) section.hidden = !section.querySelector("[data-find]:not([hidden])");
  const asked = words.length > 0 || Object.values(chosen).some(Boolean);
  told.textContent = asked ? shown + " of " + items.length + " shown" : items.length + (items.length === 1 ? " record" : " records");
};
let waiting = 0;
field.addEventListener("input", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(apply); });
for (const button of buttons) button.addEventListener("click", () => {
  const { facet, value } = button.dataset;
  chosen[facet] = value;
  for (const other of buttons) if (other.dataset.facet === facet) other.setAttribute("aria-pressed", String(other === button));
  apply();
});
const stops = () => items.filter((item) => !item.hidden && item.matches("details")).map((item) => item.querySelector("summary"));
const typing = (target) => target.matches("input,textarea,select");
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key, target } = event;
  if (key === "/" && !typing(target)) { event.preventDefault(); field.focus(); field.select(); return; }
  if (key === "Escape" && target === field) { field.value = ""; apply(); return; }
  const list = ["ArrowDown", "ArrowUp", "Home", "End"].includes(key) || (key === "Enter" && target === field) ? stops() : [];
  const at = list.indexOf(target);
  if (list.length === 0 || (at < 0 && target !== field)) return;
  if (target === field && key !== "ArrowDown" && key !== "Enter") return;
  event.preventDefault();
  const next = key === "Home" ? 0 : key === "End" ? list.length - 1 : key === "ArrowUp" ? at - 1 : at + 1;
  (next < 0 ? field : list[Math.min(next, list.length - 1)]).focus();
});
const reveal = () => {
  const found = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!found) return;
  const item = found.closest("[data-find]");
  if (item && item.hidden) { field.value = ""; for (const facet in chosen) chosen[facet] = ""; for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === "")); apply(); }
  for (let box = found.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  found.scrollIntoView();
  // Boxes off the screen have a guessed height until they are drawn.
  requestAnimationFrame(() => found.scrollIntoView());
  const summary = found.querySelector("summary");
  if (summary) summary.focus({ preventScroll: true });
};
addEventListener("hashchange", reveal);
const toggle = document.getElementById("open");
toggle.addEventListener("click", () => {
  const open = toggle.getAttribute("aria-pressed") !== "true";
  toggle.setAttribute("aria-pressed", String(open));
  for (const item of items) if (item.matches("details") && !item.hidden) item.open = open;
});
let closed = [];
addEventListener("beforeprint", () => { closed = items.filter((item) => item.matches("details:not([open])") && !item.hidden); for (const item of closed) item.open = true; });
addEventListener("afterprint", () => { for (const item of closed) item.open = false; closed = []; });
apply();
reveal();
})();
`;
