/**
 * The one script of every page, for the search. The script reads data attributes, and writes text and `hidden`, never
 * markup. Without the script the page shows everything.
 */
export const PAGE_SCRIPT = String.raw`"use strict";
(() => {
const all = (selector) => [...document.querySelectorAll(selector)];
const field = document.getElementById("q"), told = document.getElementById("told");
if (!field) return;
const none = document.getElementById("none"), toggle = document.getElementById("open");
const folds = all(".fold"), items = all("[data-find]");
const sections = all("[data-section]").map((section) => ({ section, own: [...section.querySelectorAll("[data-find]")], count: section.querySelector(".count"), total: section.querySelector(".count").textContent }));
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const number = (count) => count.toLocaleString("en-US");
let texts;
document.documentElement.classList.add("js");
const apply = () => {
  const words = plain(field.value).split(/\s+/).filter(Boolean);
  texts ??= words.length > 0 ? items.map((item) => plain(item.dataset.find)) : undefined;
  let shown = 0;
  items.forEach((item, index) => {
    const fits = words.every((word) => texts[index].includes(word));
    item.hidden = !fits;
    if (fits) shown += 1;
  });
  for (const { section, own, count, total } of sections) {
    const left = own.filter((item) => !item.hidden).length;
    section.hidden = left === 0;
    count.textContent = left < own.length ? number(left) + " of " + total : total;
  }
  for (const fold of folds) fold.open = words.length > 0 && [...fold.querySelectorAll("[data-find]")].some((item) => !item.hidden);
  none.hidden = shown > 0;
  told.textContent = number(shown) + " of " + number(items.length) + " shown";
};
let waiting = 0;
field.addEventListener("input", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(apply); });
const reveal = () => {
  const found = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!found) return;
  const item = found.closest("[data-find]");
  if (item && item.hidden) { field.value = ""; apply(); }
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
apply();
reveal();
})();
`;
