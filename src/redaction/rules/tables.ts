import { credentialWordsWith, type NameTest } from "../values/names.ts";
import { FOREIGN_WORDS } from "../values/non-secrets.ts";
import {
  looksSecretAfterLabel,
  hasPasswordShape,
  mayBePassword,
  looksRandom,
  looksSecret,
  type NameStrength,
} from "../values/secret-value.ts";
import { matchesOf, spanAt, type SecretSpan, type TextRule } from "../spans.ts";

/** Matches the beginning of the row below the headings of a Markdown table. It always contains a bar or a plus sign. */
const DELIMITER_BEGINS = String.raw`[ \t>]{0,8}(?:\|[ \t]{0,8}:?-|:?-[-: \t]{0,100}[|+])`;
const DELIMITER = new RegExp(String.raw`^${DELIMITER_BEGINS}[-|+: \t\r]*$`);
const MARKUP = /[ \t\r\n`*_~>]/;
const HTML_ROW = /<tr[^<>]{0,100}>((?:(?!<\/?tr)[^\0]){1,4000})/gi;
const HTML_CELL = /<t[dh][^<>]{0,100}>((?:(?!<\/?t[dhr])[^\0]){0,1000})/gi;
const TAGS_AROUND = /^(?:\s|<\/?[a-z][^<>]{0,70}>)+|(?:\s|<\/?[a-z][^<>]{0,70}>)+$/gi;

/** Returns the rule for values in tables, under a heading or beside a cell that names a credential. */
export function tableRule(judgeName: NameTest, teamNames: readonly string[]): TextRule {
  return {
    words: ["|", "<td", "<th", ...credentialWordsWith(teamNames), ...FOREIGN_WORDS],
    find: (text) =>
      [...markdownTables(text), ...htmlTable(text), ...separatedTables(text, judgeName)].flatMap((rows) =>
        tableSpans(rows, judgeName),
      ),
  };
}

interface Cell {
  readonly text: string;
  readonly start: number;
}

type Row = readonly Cell[];
/** The rows of a table. The first row has the headings. */
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

/** Finds a secret whose name is the cell on its left or the first cell of its row. */
function besideSpans(row: Row, column: number, heading: string, judgeName: NameTest): SecretSpan[] {
  const [cell, leftCell, firstCell] = [row[column], row[column - 1], row[0]];
  if (!cell || !leftCell || !firstCell) return [];
  if (DIGEST.test(heading) || (firstCell.text.startsWith("/") && DESCRIBES_KEY.test(heading))) return [];
  const strength = strengthOf(leftCell, judgeName) ?? strengthOf(firstCell, judgeName);
  return isSecret(cell.text, strength, true) ? [spanAt(cell.start, cell.text)] : [];
}

/** Tells whether a cell beside its user is a password: a number, or a word with a mark or a digit. */
function isPlainPassword(text: string): boolean {
  return /^\d{6,12}$/.test(text) || (mayBePassword(text) && /^(?!\p{L}+$)[^\s/:=«[(]+$/u.test(text));
}

/** Tells whether a cell names a user. In a row with a user, the test of a cell below a heading for passwords is less strict. */
function isUser(text: string, heading: string): boolean {
  return text.length <= 80 && (/^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(text) || (text !== "" && USERS.test(heading)));
}

const USERS =
  /^(?:user(?:[ _-]?name)?s?|login|e-?mail|benutzer\S{0,4}|(?:nom d')?utilisateur|usuario|usuário|identifiant|utente|логин|пользователь|ユーザー?名?|用户名|账号)(?!\p{L})/iu;

const DIGEST =
  /^(?:commit|(?:image )?digest|image|sha(?:-?\d+)?|hash|checksum|revision|version|tag|build)(?: ?\(.*\))?$/i;

/** Matches headings of columns that describe a secret whose path is in the row: its owner, its key, its dates. */
const DESCRIBES_KEY =
  /kms|\barn\b|\bids?$|owner|respons|rotat|rota[cç]|updated|created|chang|version|tipo|type|typ$|date|data|fecha|datum|expir/i;

/** Matches headings of columns whose cells may contain a user together with a password. */
const LOGINS =
  /^(?:log-?ins?|accounts?|cred(?:ential)?s?|users?|zugang\S{0,5}|anmeldung|benutzer|accès|identifiants|acceso|acesso)\b/i;

/** Matches headings of columns whose cells contain both user and password, not only users. */
const BOTH = /cred|log-?in|zugang|anmeldung|accès|identifiants|acceso|acesso/i;

/** Finds the password that stands with its user in one cell: `elastic / …`. */
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

function markdownTables(text: string): Rows[] {
  if (!text.includes("|")) return [];
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

/** Matches the row of headings of a wiki table. */
const WIKI_HEAD = /^!.*!!|^\|\|/;

/** Turns a line of a wiki table, which has two marks between cells, into a line of a Markdown table of the same length. */
function withSingleBars(line: string, isHead: boolean): string {
  const row = isHead ? line.replaceAll("!!", " |").replace(/^!/, "|") : line;
  return row.replaceAll("||", " |");
}

function cellsOf(line: string, start: number, markup = MARKUP): Cell[] {
  const cells: Cell[] = [];
  let from = start;
  for (const cell of line.split("|")) {
    let [begin, end] = [0, cell.length];
    while (begin < end && markup.test(cell.charAt(begin))) begin += 1;
    while (end > begin && markup.test(cell.charAt(end - 1))) end -= 1;
    cells.push({ text: cell.slice(begin, end), start: from + begin });
    from += cell.length + 1;
  }
  // The bars at the ends of a line are optional. The text before a bar that begins the line is not a cell.
  return /^[ \t>]*\|/.test(line) ? cells.slice(1) : cells;
}

/**
 * Matches a line of names of columns. If commas separate them, there must be at least three, because sentences have commas, too.
 */
const HEADINGS =
  /^[\w "'/-]{2,40}(?:([;\t])(?:[\w "'/-]{0,40}\1){0,40}|(,)(?:[\w "'/-]{0,40},){1,40})[\w "'/-]{1,40}\r?$/;

/** Matches the heading of a column whose cells name the values beside them. */
const NAMES =
  /^(?:parameter|param|key|name|setting|variable|option|property|feld|schlüssel|clave|clé|nom|nombre|nome|chiave|chave|klucz)$/i;

/** Finds tables of lines separated by commas, semicolons or tabs. The first line of such a table has only names of columns. */
function separatedTables(text: string, judgeName: NameTest): Rows[] {
  const tables: Cell[][][] = [];
  let table: Cell[][] | undefined;
  let [separator, start] = ["", 0];
  for (const line of text.split("\n")) {
    const mark = HEADINGS.exec(line)
      ?.slice(1)
      .find((group) => group !== undefined);
    const cells = cellsOf(line.replaceAll(mark ?? (separator || "\0"), "|"), start, /[ \t\r"']/);
    if (
      mark !== undefined &&
      cells.some((cell, column) => strengthOf(cell, judgeName) !== undefined || (column === 0 && NAMES.test(cell.text)))
    ) {
      separator = mark;
      tables.push((table = [cells]));
    } else if (table && line.includes(separator)) table.push(cells);
    else table = undefined;
    start += line.length + 1;
  }
  return tables.filter((rows) => rows.length > 1);
}

/** Returns all HTML rows of a text as one table, so only its first row counts as headings. */
function htmlTable(text: string): Rows[] {
  if (!/<t[dh]/i.test(text)) return [];
  const rows = matchesOf(text, HTML_ROW).map(({ index, 0: whole, 1: content = "" }) => {
    const from = index + whole.length - content.length;
    return matchesOf(content, HTML_CELL).map((cell): Cell => {
      const content = cell[1] ?? "";
      const lead = /^(?:\s|<\/?[a-z][^<>]{0,70}>)*/i.exec(content)?.[0].length ?? 0;
      return {
        text: content.replaceAll(TAGS_AROUND, ""),
        start: from + cell.index + cell[0].length - content.length + lead,
      };
    });
  });
  return [rows.filter((row) => row.length > 0)];
}

/** Tells whether a cell is a secret. It must look like a password, because the word for it is far away. */
function isSecret(value: string, strength: NameStrength | undefined, isBeside: boolean): boolean {
  if (strength === undefined || /\s|«|\[|\)$/.test(value)) return false;
  if (looksSecretAfterLabel(value, strength, true) && (/[A-Z!@#$%^&*+?~]/.test(value) || looksRandom(value)))
    return true;
  if (isBeside || /[/:=]|\.\w/.test(value) || !looksSecret(value, { strength, isTight: false })) return false;
  if (looksRandom(value) || /^(?=.{8})[a-z\d]*[a-z]\d+[a-z][a-z\d]*$/.test(value)) return true;
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z!@#$%^&*+?~]/.test(value);
}
