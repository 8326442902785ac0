const DRAWING_STYLE = `
.grid{margin:.5rem 0;border:1px solid var(--line);border-radius:8px;background:var(--bg);padding:.35rem}
.grid svg{display:block}
.grid>svg{height:auto;width:100%}
svg text{fill:var(--ink);font-size:14px;font-weight:600}
svg .s{fill:var(--soft);font-size:11.5px;font-weight:400}
svg .w{font-size:11.5px;font-weight:400}
.b{fill:var(--tile);stroke:var(--strong)}
`;

/** Each colour of text has a contrast of at least 4.5 to 1 with its background. */
const COLOURS = `
:root{color-scheme:light dark;--bg:#f3f5f8;--card:#fff;--ink:#17202c;--soft:#4c5969;--line:#d3dae3;--strong:#8592a3;--mark:#0a6670;
--good:#1b6b34;--goodbg:#e2f3e6;--warn:#7a4d00;--warnbg:#fbeecf;--bad:#a3202a;--badbg:#fbe6e6;--tile:#fafbfd}
@media (prefers-color-scheme:dark){:root{--bg:#0e141b;--card:#161e28;--ink:#e7ecf3;--soft:#a8b5c5;--line:#2b3745;--strong:#6c7c90;--mark:#6fd0d8;
--good:#86d79c;--goodbg:#15331f;--warn:#f2c46d;--warnbg:#3a2c0c;--bad:#ff9d9d;--badbg:#421b1f;--tile:#1b2531}}
`;

const LAYOUT = `
*{box-sizing:border-box}
html{scroll-padding-top:7rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.wrap{max-width:72rem;margin:0 auto;padding:0 1.5rem}
h1,h2,h3{line-height:1.25;margin:0;text-wrap:balance;overflow-wrap:anywhere}
h1{font-size:1.75rem;letter-spacing:-.015em}
h2{font-size:1.2rem;margin:2.5rem 0 .75rem;display:flex;gap:.6rem;align-items:baseline}
h3{font-size:1rem;margin:1.25rem 0 .5rem}
h3 .count{margin-left:.35rem}
p{margin:.5rem 0;overflow-wrap:anywhere}
a{color:var(--mark);text-underline-offset:.2em}
a,.name,td,dd{overflow-wrap:anywhere;unicode-bidi:isolate}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px;border-radius:6px}
code,.text.code{font:.85em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.text{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;unicode-bidi:plaintext}
.soft,.none{color:var(--soft)}
.count{flex:none;font-size:.875rem;font-weight:500;color:var(--soft)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;z-index:9;background:var(--card);padding:.5rem 1rem}
.top{padding:2.5rem 0 1.25rem}
.facts{display:grid;grid-template-columns:max-content 1fr;align-items:baseline;gap:.2rem 1rem;margin:1rem 0 0;font-size:.925rem}
.facts dt{color:var(--soft)}.facts dd{margin:0;min-width:0}
.outcome{font-size:1.05rem;max-width:60rem}
.meta{margin:1rem 0 0;font-size:.925rem}.meta>summary,.fold>summary{cursor:pointer;color:var(--mark);width:max-content;max-width:100%;overflow-wrap:anywhere}.meta .facts{margin-top:.5rem}
.bar{display:none;position:sticky;top:0;z-index:5;background:var(--bg);border-bottom:1px solid var(--line);padding:.75rem 0}
.js .bar{display:block}
.bar .wrap{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:center}
.find{flex:1 1 18rem;display:flex;align-items:baseline;gap:.5rem}
.find label{font-weight:600;font-size:.9rem}
.find input{flex:1;min-width:0;font:inherit;color:inherit;background:var(--card);border:1px solid var(--strong);border-radius:8px;padding:.45rem .75rem}
button{font:inherit;font-size:.875rem;color:var(--ink);background:var(--card);border:1px solid var(--strong);border-radius:99px;padding:.25rem .8rem;cursor:pointer}
button[aria-pressed=true]{background:var(--mark);border-color:var(--mark);color:var(--card);font-weight:600}
#told{font-size:.85rem;color:var(--soft)}
.empty{padding:3rem 0;text-align:center;color:var(--soft)}
footer{margin:3rem 0 2rem;font-size:.85rem;color:var(--soft)}
[hidden]{display:none!important}
`;

const RECORDS = `
.rec{background:var(--card);border:1px solid var(--line);border-radius:10px;margin:.5rem 0;content-visibility:auto;contain-intrinsic-size:auto 3.25rem}
.rec>summary{display:flex;gap:.15rem .75rem;align-items:center;min-height:3.25rem;padding:.55rem 1rem .55rem 2.4rem;cursor:pointer;position:relative;list-style:none;border-radius:10px}
.rec>summary::-webkit-details-marker{display:none}
.rec>summary:focus-visible{outline-offset:-3px;border-radius:10px}
.rec>summary::before{content:"";position:absolute;left:1.05rem;top:calc(50% - .25rem);width:.5rem;height:.5rem;border:solid var(--soft);border-width:0 2px 2px 0;transform:rotate(-45deg)}
.rec[open]>summary::before{transform:translateY(-.1rem) rotate(45deg)}
.head{display:flex;flex-wrap:wrap;flex:1;gap:.1rem .75rem;align-items:baseline;min-width:0}
.why{flex-basis:100%;font-size:.9rem;color:var(--soft);overflow-wrap:anywhere}
.rec[data-state=blocked] .why,.rec[data-state=failed] .why{color:var(--bad)}
.rec>summary:hover .name{text-decoration:underline;text-underline-offset:.2em}
.name{font-weight:600;min-width:0}
.about{color:var(--soft);font-size:.9rem;min-width:0;overflow-wrap:anywhere}
.in{padding:.25rem 1rem 1.1rem;border-top:1px solid var(--line)}
.in>:first-child{margin-top:.75rem}
.badge{flex:none;display:inline-block;width:6.75rem;text-align:center;font-size:.8rem;font-weight:650;border-radius:6px;padding:.05rem .5rem;white-space:nowrap;background:var(--bg);color:var(--soft)}
.good{background:var(--goodbg);color:var(--good)}.warn{background:var(--warnbg);color:var(--warn)}.bad{background:var(--badbg);color:var(--bad)}
.fold>summary{margin:.5rem 0}
.note{border:1px solid var(--line);border-left:4px solid var(--strong);background:var(--card);border-radius:6px;padding:.6rem .9rem;margin:.75rem 0}
.note.badnote{border-left-color:var(--bad)}.note.warnnote{border-left-color:var(--warn)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;white-space:nowrap}
td{min-width:6rem}td .text{margin:0}td code,td .soft{font-size:.85em}
ul.plain{margin:.25rem 0;padding-left:1.2rem}
ul.plain li{margin:.15rem 0;overflow-wrap:anywhere}
.in details:not(.rec)>summary{cursor:pointer;color:var(--mark);font-size:.9rem;margin:.75rem 0 .25rem;width:max-content;max-width:100%}
`;

const PLACES = `
@media screen and (max-width:46rem){.wrap{padding:0 1rem}.in{padding:.25rem .75rem 1rem}.top{padding-top:1.5rem}h1{font-size:1.4rem}.facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:.5rem}
.bar{position:static;padding:.5rem 0}.top{padding-bottom:.75rem}h2{margin-top:1.25rem}.outcome{font-size:1rem}.note{margin:.4rem 0;padding:.4rem .75rem}.find{flex-basis:100%}
.rec>summary{display:grid;grid-template-columns:1fr auto;padding-right:.75rem}.rec>summary .about{flex-basis:100%}.rec>summary>.badge{grid-column:1/-1;justify-self:start}}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media (forced-colors:active){.badge,.rec,button{border:1px solid}button[aria-pressed=true]{border-width:3px}}
@media print{:root{--bg:#fff;--card:#fff;--ink:#000;--soft:#333;--line:#999;--strong:#666;--mark:#000;--tile:#fff;
--good:#000;--goodbg:#fff;--warn:#000;--warnbg:#fff;--bad:#000;--badbg:#fff}
@page{margin:14mm}html{font-size:10pt}body{background:#fff}.bar,.js .bar,.skip{display:none}.rec{content-visibility:visible;border-color:#999}.in>:first-child{break-before:avoid}footer{margin:.5rem 0 0}
.badge{border:1px solid #666}h2,h3,.rec>summary{break-after:avoid}a{text-decoration:none}.in details:not([open],td *){display:none}.grid,tr,.note{break-inside:avoid}.top{padding-top:0}.wrap{max-width:none;padding:0}}
`;

export const PAGE_STYLE = [COLOURS, LAYOUT, RECORDS, DRAWING_STYLE, PLACES].join("").replaceAll("\n", "");

/** The script never writes markup. Without the script, the page shows all records and has no search. */
export const PAGE_SCRIPT = String.raw`"use strict";
(() => {
const all = (selector) => [...document.querySelectorAll(selector)];
const field = document.getElementById("q"), told = document.getElementById("told");
if (!field) return;
const none = document.getElementById("none"), toggle = document.getElementById("open");
const folds = all(".fold"), items = all(".rec");
const sections = all("[data-section]").map((section) => ({ section, own: [...section.querySelectorAll(".rec")], count: section.querySelector(".count"), total: section.querySelector(".count").textContent }));
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
let texts;
document.documentElement.classList.add("js");
const apply = () => {
  const words = plain(field.value).split(/\s+/).filter(Boolean);
  texts ??= words.length > 0 ? items.map((item) => plain(item.dataset.kind + " " + item.textContent)) : undefined;
  let shown = 0;
  items.forEach((item, index) => {
    const fits = words.every((word) => texts[index].includes(word));
    item.hidden = !fits;
    if (fits) shown += 1;
  });
  for (const { section, own, count, total } of sections) {
    const visible = own.filter((item) => !item.hidden).length;
    section.hidden = visible === 0;
    count.textContent = visible < own.length ? visible + " of " + total : total;
  }
  for (const fold of folds) fold.open = words.length > 0 && [...fold.querySelectorAll(".rec")].some((item) => !item.hidden);
  none.hidden = shown > 0;
  told.textContent = shown + " of " + items.length + " shown";
};
let waiting = 0;
field.addEventListener("input", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(apply); });
const reveal = () => {
  const found = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!found) return;
  const item = found.closest(".rec");
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
  const opensAll = toggle.getAttribute("aria-pressed") !== "true";
  toggle.setAttribute("aria-pressed", String(opensAll));
  for (const item of [...items, ...folds]) if (!item.hidden) item.open = opensAll;
});
apply();
reveal();
})();
`;
