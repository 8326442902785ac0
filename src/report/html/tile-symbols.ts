import { trustedMarkup, type Html } from "./html.ts";

/** Returns the name of the symbol for a type. `time` is the older name of a line chart. */
export function symbolName(type: string): string {
  if (type === "time") return "line";
  return Object.hasOwn(GLYPHS, type) && type !== "bell" ? type : "unknown";
}

/** Symbols of the tile types, 16 × 16. */
const GLYPHS: Readonly<Record<string, string>> = {
  line: '<path d="M1 12 5 7l3 3 6-7"/>',
  stacked_bar: '<path d="M3 14V9M8 14V4M13 14V7M1.5 11.5h3M6.5 9h3M11.5 11h3"/>',
  bar: '<path d="M2 3.5h11M2 8h7M2 12.5h4"/>',
  number: '<path d="M5.5 2 4 14M12 2l-1.5 12M2 5.5h12M2 10.5h12"/>',
  table: '<path d="M2 2.5h12v11H2zM2 6.5h12M2 10h12M7 6.5v7"/>',
  pie: '<circle cx="8" cy="8" r="6"/><path d="M8 8V2M8 8l5 3.5"/>',
  heatmap: '<path d="M2 2h4v4H2zM10 2h4v4h-4zM6 6h4v4H6zM2 10h4v4H2zM10 10h4v4h-4z"/>',
  markdown: '<path d="M2 3h12M2 6.5h12M2 10h12M2 13.5h7"/>',
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 4 4"/>',
  event_patterns: '<path d="M2 4h3M7 4h7M2 8h7M11 8h3M2 12h5M9 12h5"/>',
  unknown: '<path d="M5 6a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M8 13.5v.1"/>',
  bell: '<path d="M3 12h10c-1.3-1.2-1.5-2.5-1.5-4.5a3.5 3.5 0 0 0-7 0C4.5 9.5 4.3 10.8 3 12zM6.7 14.2h2.6"/>',
};

/** Sketches of the tile types, 100 × 40, stretched to the tile. They show only the look of a type: an archive has no data. */
const SKETCHES: Readonly<Record<string, string>> = {
  line: '<path d="M0 30 12 24l10 4 12-13 12 6 13-11 11 9 14-12 16 5"/><path d="M0 36l14-4 12 2 16-5 14 4 17-6 12 3 15-5"/>',
  stacked_bar:
    '<path class="f" d="M3 40V22h8v18zM17 40V14h8v26zM31 40V19h8v21zM45 40V8h8v32zM59 40V16h8v24zM73 40V11h8v29zM87 40V20h8v20z"/>',
  bar: '<path class="f" d="M0 3h88v7H0zM0 13h60v7H0zM0 23h41v7H0zM0 33h22v6H0z"/>',
  number: '<path d="M0 34 14 28l16 3 18-9 16 4 18-10 18-4"/>',
  table: '<path d="M0 8h100M0 18h100M0 28h100M0 38h100M34 0v40M72 0v40"/>',
  heatmap:
    '<path class="f" d="M4 24h9v7H4zM16 18h9v7h-9zM28 26h9v7h-9zM40 12h9v7h-9zM40 28h9v7h-9zM52 20h9v7h-9zM64 26h9v7h-9zM64 8h9v7h-9zM76 18h9v7h-9zM88 26h9v7h-9z"/>',
  search: '<path d="M0 7h96M0 17h74M0 27h90M0 37h58"/>',
  event_patterns: '<path d="M0 7h20M26 7h60M0 17h44M50 17h30M0 27h14M20 27h70M0 37h34M40 37h20"/>',
  markdown: '<path d="M0 6h60M0 17h92M0 27h84M0 37h40"/>',
};

export function hasSketch(symbol: string): boolean {
  return Object.hasOwn(SKETCHES, symbol);
}

/** Renders all symbols, each once for the page; drawings refer to them. */
export function renderSymbols(): Html {
  const glyphs = Object.entries(GLYPHS).map(
    ([name, shape]) => `<symbol id="g-${name}" viewBox="0 0 16 16">${shape}</symbol>`,
  );
  const sketches = Object.entries(SKETCHES).map(
    ([name, shape]) => `<symbol id="s-${name}" viewBox="0 0 100 40" preserveAspectRatio="none">${shape}</symbol>`,
  );
  return trustedMarkup(
    `<svg class="defs" width="0" height="0" aria-hidden="true">${[...glyphs, ...sketches].join("")}</svg>`,
  );
}
