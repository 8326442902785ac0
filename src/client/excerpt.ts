/** Takes known secrets out of a text. */
export type Scrub = (text: string) => string;

/** Shorter texts would be found in innocent places, and no key is that short. */
const SHORTEST_SECRET = 4;
/** No more of an HTML page is looked at: what it has to say is at the top. */
const HTML_LOOK = 8192;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/** Makes the function that keeps the credential out of texts that a server wrote: some echo the request's headers. */
export function createScrub(secrets: readonly string[]): Scrub {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  return (text) => long.reduce((rest, secret) => rest.replaceAll(secret, "«credential»"), text);
}

/** One line of at most `max` characters that is safe on a terminal: no control or formatting characters. */
export function printable(text: string, max: number): string {
  const line = text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
    .trim();
  const characters = Array.from(line.slice(0, 2 * max + 2));
  return characters.length <= max ? characters.join("") : `${characters.slice(0, max - 1).join("")}…`;
}

/** True for an HTML page, by what it says it is or by what it is. A plain sentence sent as HTML is none (recording 110). */
export function isHtmlPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(text);
}

/** What a person would read of a page, without its title: `Cannot GET /api/v2/nope`. */
export function textOfHtml(html: string): string {
  const visible = html
    .slice(0, HTML_LOOK)
    .replaceAll(/<(script|style|title)\b[\s\S]*?<\/\1>/gi, " ")
    .replaceAll(/<!--|-->/g, " ")
    .replaceAll(/<[^<>]*>/g, " ");
  const decoded = visible.replaceAll(
    /&(#39|[a-z]+);/gi,
    (entity, name: string) => ENTITIES[name.toLowerCase()] ?? entity,
  );
  return decoded.trim() === "" ? (/<title>([^<]*)/i.exec(html.slice(0, HTML_LOOK))?.[1] ?? "") : decoded;
}
