import { CLIENT_CERTIFICATE_HINT } from "./tls-failure.ts";

/** The statuses of nginx for a client certificate that is wrong or missing, and for http to an https port. */
const STATUSES: Readonly<Record<number, string>> = {
  495: CLIENT_CERTIFICATE_HINT,
  496: CLIENT_CERTIFICATE_HINT,
  497: "write https:// in the stack's address",
};

/** Sentences of nginx, Apache and Go for the same faults. They answer 400. */
const SENTENCES: readonly (readonly [RegExp, number])[] = [
  [/No required SSL certificate was sent|The SSL certificate error/i, 496],
  [/plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL|HTTP request to an HTTPS server/i, 497],
];

/** Returns what to do if a web server in front of the stack refused the connection itself; undefined for other answers. */
export function hintOfFront(status: number, text: string): string | undefined {
  // A refusal of the stack is JSON, and may quote such a sentence.
  if (status !== 400 || /^\s*\{/.test(text)) return STATUSES[status];
  return STATUSES[SENTENCES.find(([sentence]) => sentence.test(text))?.[1] ?? 0];
}

/** Returns what to do about a redirect that leaves the stack's address; undefined for another path of the same address. */
export function hintOfRedirect(url: string, to: URL | undefined): string | undefined {
  const from = new URL(url);
  if (to === undefined || to.origin === from.origin) return undefined;
  if (to.protocol === "https:" && to.hostname === from.hostname) return `begin the stack's address with ${to.origin}`;
  return "check the address; if a gateway in front of the stack asks for a login, set the headers that it wants (headers of the stack)";
}
