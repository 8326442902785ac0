/** What a display type is called, for people. */
const WORDS: Readonly<Record<string, string>> = {
  line: "line chart",
  time: "line chart",
  stacked_bar: "stacked bars",
  bar: "bars",
  number: "number",
  table: "table",
  pie: "pie",
  heatmap: "heatmap",
  markdown: "text",
  search: "search",
  event_patterns: "patterns",
};

/** Types that have a symbol of their own; `time` is the older word for a line chart. */
const SYMBOLS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(WORDS).map((type) => [type, type])),
  time: "line",
};

/** What a tile is called: `line chart`, `table, SQL`. */
export function typeWords(type: string, sql: boolean): string {
  const words = Object.hasOwn(WORDS, type) ? (WORDS[type] ?? type) : type;
  return sql ? `${words}, SQL` : words;
}

/** The name of the symbol for a type. */
export function symbolOf(type: string): string {
  return Object.hasOwn(SYMBOLS, type) ? (SYMBOLS[type] ?? "unknown") : "unknown";
}
