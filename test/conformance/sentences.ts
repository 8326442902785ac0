/** One mistake of a refusal: the path of a member and the server's message; the path is empty for a bare sentence. */
export interface Clause {
  readonly path: string;
  readonly message: string;
}

const PREFIX = /^Body validation failed: /;
/** Matches between two clauses. A message may have semicolons itself, so the next clause must begin with a path or be known. */
const BETWEEN = /; (?=[A-Za-z]\w*(?:\.[^:;]+)*: |Invalid input)/;

/** Returns the mistakes that a refusal lists. A refusal for another reason than the form of the body is one bare sentence. */
export function clausesOf(words: string): Clause[] {
  if (!PREFIX.test(words)) return [{ path: "", message: words }];
  return words
    .replace(PREFIX, "")
    .split(BETWEEN)
    .map((text) => {
      const [, path = "", message = text] = /^([A-Za-z]\w*(?:\.[^:;]+)*): (.*)$/s.exec(text) ?? [];
      return { path, message };
    });
}

/** Returns a message without what differs from body to body: quoted words, numbers, ids, and the names of types. */
export function formOf(message: string): string {
  return message
    .replaceAll(/"[^"]*"|'[^']*'/g, "Q")
    .replaceAll(/Q(?: \| Q)+/g, "Q")
    .replaceAll(/[0-9a-f]{24}/g, "ID")
    .replaceAll(/\d+/g, "N")
    .replace(/(?<=the following .*IDs: ).*/, "ID")
    .replace(/^Expected (?:Q|[a-z]+), received [a-z]+$/, "Expected T, received T")
    .replace(/series A through [A-Z]$/, "series A through Z");
}
