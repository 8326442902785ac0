/** Checked before parsing, because parsed values take many times the memory of the text. */
export interface JsonBounds {
  readonly maxValues: number;
  readonly maxDepth: number;
}

/** A stack stores documents of up to 16 MB. The largest dashboard (500 tiles) has ten thousand values. */
export const recordBounds = { maxBytes: 16 * 1024 * 1024, maxValues: 75_000, maxDepth: 128 } as const;

export type JsonFlaw = "depth" | "values" | "number";

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Does not check that the text is valid JSON. Tests frequent characters first, for speed. */
export function findJsonFlaw(text: string, { maxValues, maxDepth }: JsonBounds): JsonFlaw | undefined {
  let depth = 0;
  let values = 0;
  let changes = false;
  for (let at = 0; at < text.length; at += 1) {
    let code = text.charCodeAt(at);
    while (code === SPACE) code = text.charCodeAt((at += 1));
    if (isSeparator(code)) continue;
    if (code === QUOTE) at = endOfString(text, at + 1) - 1;
    else if (isClosing(code)) {
      depth -= 1;
      continue;
    } else if (isOpening(code)) {
      depth += 1;
      if (depth > maxDepth) return "depth";
    } else {
      const end = endOfScalar(text, at + 1);
      changes ||= end - at > DIGITS_ALONE && isNumberStart(code) && !isReadExactly(text.slice(at, end));
      at = end - 1;
    }
    values += 1;
    if (values > maxValues) return "values";
  }
  return changes ? "number" : undefined;
}

export function endsInside(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1) - 1;
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
  }
  return depth > 0;
}

export function describeJsonFlaw(flaw: JsonFlaw, { maxValues, maxDepth }: JsonBounds): string {
  if (flaw === "depth") return `nests deeper than ${maxDepth} levels`;
  if (flaw === "values") return `holds more than ${maxValues} values`;
  return "holds a number that cannot be stored exactly: it is too large or has too many digits";
}

function isSeparator(code: number): boolean {
  return code <= SPACE || code === COMMA || code === COLON;
}

function isOpening(code: number): boolean {
  return code === OPEN_ARRAY || code === OPEN_OBJECT;
}

function isClosing(code: number): boolean {
  return code === CLOSE_ARRAY || code === CLOSE_OBJECT;
}

function isNumberStart(code: number): boolean {
  return code === 0x2d || (code >= 0x30 && code <= 0x39);
}

/** `indexOf` is many times faster than a loop. */
function endOfString(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let first = quote;
    while (first > at && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((quote - first) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function endOfScalar(text: string, from: number): number {
  let offset = from;
  for (; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    if (isSeparator(code) || code === QUOTE || isOpening(code) || isClosing(code)) break;
  }
  return offset;
}

/** Numbers up to this length are too short for an exponent. */
const DIGITS_ALONE = 2;
/** Longest number without an exponent that JavaScript always reads exactly. */
const SAFE_LENGTH = 15;
/** A longer number counts as inexact: only superfluous zeros could make it exact. */
const MAX_LENGTH = 1100;
const NUMBER = /^-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;

export function isReadExactly(number: string): boolean {
  if (number.length <= SAFE_LENGTH && !/e/i.test(number)) return true;
  if (number.length > MAX_LENGTH) return false;
  const value = Number(number);
  // Counts as exact, because the parser refuses a text that is no number.
  if (Number.isNaN(value)) return true;
  return Number.isFinite(value) && decimalOf(number) === decimalOf(String(value));
}

/** Equal values have equal texts. */
function decimalOf(number: string): string {
  const { whole = "", fraction = "", exponent = "0" } = NUMBER.exec(number)?.groups ?? {};
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${number.startsWith("-") ? "-" : ""}${significant}e${scale}`;
}
