import type { NameTest } from "../names.ts";
import { looksRandom, looksSecret } from "../secret-value.ts";
import type { SecretSpan } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

/** How the row below the headings begins; it has a bar in any case. */
const DELIMITER_BEGINS = String.raw`[ \t]{0,8}(?:\|[ \t]{0,8}:?-|:?-[-: \t]{0,100}\|)`;
const DELIMITER = new RegExp(String.raw`^${DELIMITER_BEGINS}[-|: \t\r]*$`);
const MARKUP = /[ \t\r`*]/;

/** Values in a column of a markdown table whose heading says credential. */
export function tableRule(named: NameTest): TextRule {
  return { hint: new RegExp(`\n${DELIMITER_BEGINS}`), find: (text) => tableSpans(text, named) };
}

/** A cell without its markup, and where it stands in the text. */
interface Cell {
  readonly text: string;
  readonly start: number;
}

function tableSpans(text: string, named: NameTest): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let columns: ReturnType<NameTest>[] = [];
  let start = 0;
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (line.includes("|") && DELIMITER.test(lines[index + 1] ?? ""))
      columns = cellsOf(line, start).map((cell) => named(cell.text));
    else if (!line.includes("|")) columns = [];
    else if (columns.some((strength) => strength !== undefined)) {
      for (const [column, cell] of cellsOf(line, start).entries())
        if (isSecret(cell.text, columns[column]))
          spans.push({ start: cell.start, end: cell.start + cell.text.length, rule: "assigned-secret" });
    }
    start += line.length + 1;
  }
  return spans;
}

function cellsOf(line: string, start: number): Cell[] {
  const cells: Cell[] = [];
  let from = start;
  for (const cell of line.split("|")) {
    let [begin, end] = [0, cell.length];
    while (begin < end && MARKUP.test(cell.charAt(begin))) begin += 1;
    while (end > begin && MARKUP.test(cell.charAt(end - 1))) end -= 1;
    cells.push({ text: cell.slice(begin, end), start: from + begin });
    from += cell.length + 1;
  }
  // The outer bars are optional, and what is before the first is no cell.
  return cells[0]?.text === "" ? cells.slice(1) : cells;
}

/** In a table the word for it is further off than anywhere else, so the value has to look like a password by itself. */
function isSecret(value: string, strength: ReturnType<NameTest>): boolean {
  if (strength === undefined || /\s|[/:=«]|\.\w|\[|\)$/.test(value)) return false;
  if (!looksSecret(value, { strength, tight: false })) return false;
  return looksRandom(value) || (/\d/.test(value) && /[a-z]/.test(value) && /[A-Z!@#$%^&*+?~]/.test(value));
}
