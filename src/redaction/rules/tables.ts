import type { NameTest } from "../values/names.ts";
import {
  looksSecretAfterLabel,
  hasPasswordShape,
  mayBePassword,
  looksRandom,
  looksSecret,
  type NameStrength,
} from "../values/secret-value.ts";
import { spanAt, type SecretSpan, type TextRule } from "../spans.ts";

/** A match contains a bar or a plus sign. */
const DELIMITER_BEGINS = String.raw`[ \t>]{0,8}(?:\|[ \t]{0,8}:?-|:?-[-: \t]{0,100}[|+])`;
const DELIMITER = new RegExp(String.raw`^${DELIMITER_BEGINS}[-|+: \t\r]*$`);
const MARKUP = /[ \t\r\n`*_~>]/;
export function tableRule(judgeName: NameTest): TextRule {
  return { words: ["|"], find: (text) => tablesIn(text).flatMap((rows) => tableSpans(rows, judgeName)) };
}

interface Cell {
  readonly text: string;
  readonly start: number;
}

type Row = readonly Cell[];
type Rows = readonly Row[];

interface Column {
  readonly heading: string;
  readonly strength: NameStrength | undefined;
}

const NO_COLUMN: Column = { heading: "", strength: undefined };

function tableSpans([headings = [], ...rows]: Rows, judgeName: NameTest): SecretSpan[] {
  const columns = headings.map((cell): Column => ({ heading: cell.text, strength: strengthOf(cell, judgeName) }));
  return [
    ...headings.flatMap(({ text }, column) => besideSpans(headings, column, text, judgeName)),
    ...rows.flatMap((row) => rowSpans(row, columns, judgeName)),
  ];
}

function rowSpans(row: Row, columns: readonly Column[], judgeName: NameTest): SecretSpan[] {
  const hasUser = row.some(({ text }, column) => isUser(text, columns[column]?.heading ?? ""));
  return row.flatMap((cell, column): SecretSpan[] => {
    const { heading, strength } = columns[column] ?? NO_COLUMN;
    const password = LOGINS.test(heading) ? passwordOf(cell, heading) : undefined;
    if (password !== undefined) return [password];
    if (strength === undefined) return besideSpans(row, column, heading, judgeName);
    const isPlain = strength === "strong" && hasUser && isPlainPassword(cell.text);
    return isPlain || isSecret(cell.text, strength, false) ? [spanAt(cell.start, cell.text)] : [];
  });
}

function besideSpans(row: Row, column: number, heading: string, judgeName: NameTest): SecretSpan[] {
  const [cell, leftCell, firstCell] = [row[column], row[column - 1], row[0]];
  if (!cell || !leftCell || !firstCell) return [];
  if (DIGEST.test(heading) || (firstCell.text.startsWith("/") && DESCRIBES_KEY.test(heading))) return [];
  const strength = strengthOf(leftCell, judgeName) ?? strengthOf(firstCell, judgeName);
  return isSecret(cell.text, strength, true) ? [spanAt(cell.start, cell.text)] : [];
}

function isPlainPassword(text: string): boolean {
  return /^\d{6,12}$/.test(text) || (mayBePassword(text) && /^(?!\p{L}+$)[^\s/:=«[(]+$/u.test(text));
}

function isUser(text: string, heading: string): boolean {
  return text.length <= 80 && (/^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(text) || (text !== "" && USERS.test(heading)));
}

const USERS =
  /^(?:user(?:[ _-]?name)?s?|login|e-?mail|benutzer\S{0,4}|(?:nom d')?utilisateur|usuario|usuário|identifiant|utente|логин|пользователь|ユーザー?名?|用户名|账号)(?!\p{L})/iu;

const DIGEST =
  /^(?:commit|(?:image )?digest|image|sha(?:-?\d+)?|hash|checksum|revision|version|tag|build)(?: ?\(.*\))?$/i;

/** In a row that begins with a secret's path, a column with such a heading only describes the secret. */
const DESCRIBES_KEY =
  /kms|\barn\b|\bids?$|owner|respons|rotat|rota[cç]|updated|created|chang|version|tipo|type|typ$|date|data|fecha|datum|expir/i;

/** Cells of these columns may contain a user with a password. */
const LOGINS =
  /^(?:log-?ins?|accounts?|cred(?:ential)?s?|users?|zugang\S{0,5}|anmeldung|benutzer|accès|identifiants|acceso|acesso)\b/i;

const BOTH = /cred|log-?in|zugang|anmeldung|accès|identifiants|acceso|acesso/i;

/** A user and a password share a cell: `elastic / …`. */
function passwordOf({ text, start }: Cell, heading: string): SecretSpan | undefined {
  const isBoth = BOTH.test(heading);
  const value = /^(?![A-Z]{2,6}\s?[/:])[\w.@+-]{2,60}["'`]?\s?[/:]\s?["'`]?([^\s/:"'`]{8,128})["'`]?$/.exec(text)?.[1];
  if (value === undefined || !(hasPasswordShape(value) || (isBoth && /\d/.test(value) && mayBePassword(value))))
    return undefined;
  return spanAt(start + text.lastIndexOf(value), value);
}

function strengthOf(cell: Cell, judgeName: NameTest): NameStrength | undefined {
  return cell.text.length <= 60 ? judgeName(cell.text.replace(/\s*[(（:：].*$/, "")) : undefined;
}

function tablesIn(text: string): Rows[] {
  const tables: Cell[][][] = [];
  let table: Cell[][] | undefined;
  let start = 0;
  const lines = text.split("\n");
  let isWiki = false;
  for (const [index, line] of lines.entries()) {
    const isWikiHead = WIKI_HEAD.test(line);
    isWiki = isWikiHead || (isWiki && table !== undefined);
    const isHead = isWikiHead || DELIMITER.test(lines[index + 1] ?? "");
    const row = isWiki ? withSingleBars(line, isWikiHead) : line;
    if (!isTableLine(row)) table = undefined;
    else if (isHead && !(isWiki && table)) tables.push((table = [cellsOf(row, start)]));
    else if (isHead || !DELIMITER.test(line)) table?.push(cellsOf(row, start));
    start += line.length + 1;
  }
  return tables;
}

function isTableLine(line: string): boolean {
  return line.includes("|") || DELIMITER.test(line);
}

const WIKI_HEAD = /^!.*!!|^\|\|/;

/** A wiki table has two marks between cells. The offsets of the cells stay the same. */
function withSingleBars(line: string, isHead: boolean): string {
  const row = isHead ? line.replaceAll("!!", " |").replace(/^!/, "|") : line;
  return row.replaceAll("||", " |");
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
  // The bars at the ends of a line are optional.
  return /^[ \t>]*\|/.test(line) ? cells.slice(1) : cells;
}

/** The heading may be far away, so the value must look like a password. */
function isSecret(value: string, strength: NameStrength | undefined, isBeside: boolean): boolean {
  if (strength === undefined || /\s|«|\[|\)$/.test(value)) return false;
  if (looksSecretAfterLabel(value, strength, true) && (/[A-Z!@#$%^&*+?~]/.test(value) || looksRandom(value)))
    return true;
  if (isBeside || /[/:=]|\.\w/.test(value) || !looksSecret(value, { strength, isTight: false })) return false;
  if (looksRandom(value) || /^(?=.{8})[a-z\d]*[a-z]\d+[a-z][a-z\d]*$/.test(value)) return true;
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z!@#$%^&*+?~]/.test(value);
}
