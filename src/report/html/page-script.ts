/**
 * The one script of every page, for the search, the filters and the keys. The script reads data attributes, and writes text and
 * `hidden`, never markup. Without the script the page shows everything.
 */
export const PAGE_SCRIPT = String.raw`"use strict";
(() => {
const all = (selector) => [...document.querySelectorAll(selector)];
const root = document.documentElement, field = document.getElementById("q"), told = document.getElementById("told");
if (!field) return;
const none = document.getElementById("none"), toggle = document.getElementById("open");
const folds = all(".fold"), tucked = all(".roomy"), narrow = matchMedia("(max-width:46rem)");
const items = all("[data-find]"), buttons = all("[data-facet]");
const sections = all("[data-section]").map((section) => ({ section, own: [...section.querySelectorAll("[data-find]")], count: section.querySelector(".count"), total: section.querySelector(".count").textContent }));
const records = items.filter((item) => !item.dataset.extra);
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const number = (count) => count.toLocaleString("en-US");
let texts;
const chosen = {};
root.classList.add("js");
const apply = () => {
  const words = plain(field.value).split(/\s+/).filter(Boolean);
  texts ??= words.length > 0 ? items.map((item) => plain(item.dataset.find)) : undefined;
  const asked = words.length > 0 || Object.values(chosen).some(Boolean);
  let shown = 0;
  const besides = [];
  items.forEach((item, index) => {
    const fits = words.every((word) => texts[index].includes(word)) &&
      Object.entries(chosen).every(([facet, value]) => !value || item.dataset[facet] === value);
    item.hidden = !fits;
    if (fits && item.dataset.extra) besides.push(", and " + item.dataset.extra);
    else if (fits) shown += 1;
  });
  for (const { section, own, count, total } of sections) {
    const left = own.filter((item) => !item.hidden).length;
    section.hidden = left === 0;
    count.textContent = left < own.length ? number(left) + " of " + total : total;
  }
  for (const fold of folds) fold.open = asked && [...fold.querySelectorAll("[data-find]")].some((item) => !item.hidden);
  none.hidden = shown > 0 || besides.length > 0;
  told.textContent = asked ? number(shown) + " of " + number(records.length) + " shown" + besides.join("") : number(records.length) + (records.length === 1 ? " record" : " records");
};
let waiting = 0;
field.addEventListener("input", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(apply); });
const press = () => { for (const button of buttons) button.setAttribute("aria-pressed", String((chosen[button.dataset.facet] ?? "") === button.dataset.value)); };
for (const button of buttons) button.addEventListener("click", () => {
  chosen[button.dataset.facet] = button.dataset.value;
  press();
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
  const found = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!found) return;
  const item = found.closest("[data-find]");
  if (item && item.hidden) { field.value = ""; for (const facet in chosen) chosen[facet] = ""; press(); apply(); }
  for (let box = found.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  found.scrollIntoView();
  // Boxes off the screen have a guessed height until they are drawn.
  requestAnimationFrame(() => found.scrollIntoView());
  const summary = found.querySelector("summary");
  if (summary) summary.focus({ preventScroll: true });
};
addEventListener("hashchange", reveal);
toggle.addEventListener("click", () => {
  const open = toggle.getAttribute("aria-pressed") !== "true";
  toggle.setAttribute("aria-pressed", String(open));
  for (const item of [...items, ...folds]) if (item.matches("details") && !item.hidden) item.open = open;
});
// The bar, which is as high as its buttons need, must not cover a section that the page scrolls to.
const bar = field.closest(".bar");
new ResizeObserver(() => {
  root.style.scrollPaddingTop = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight + 16 + "px" : "";
}).observe(bar);
// A narrow screen has more use for the records than for the filters, so the filters are closed.
const tuck = () => { for (const box of tucked) box.open = !narrow.matches; };
narrow.addEventListener("change", tuck);
tuck();
let closed = [];
addEventListener("beforeprint", () => { closed = [...items.filter((item) => item.matches("details:not([open])") && !item.hidden), ...all(".fold:not([open]),.meta:not([open]),.roomy:not([open]),td details:not([open])")]; for (const item of closed) item.open = true; });
addEventListener("afterprint", () => { for (const item of closed) item.open = false; closed = []; });
apply();
reveal();
})();
`;
