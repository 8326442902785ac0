/** An address whose path was redacted at its end: an origin, the rest of the path, one placeholder. */
const CUT_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#«]+\/[^\s?#«]*«redacted:[a-z][a-z0-9-]{0,63}»$/i;

/**
 * Tells how a supplied value fits its text. People paste a whole address where only its end was asked for: `whole` has the same
 * host and replaces the entire text, `foreign` has another host and must not be used. Any other value is a `part` and replaces the
 * placeholder.
 */
export function addressGiven(text: string, given: string): "part" | "whole" | "foreign" {
  const wanted = CUT_ADDRESS.test(text) ? originOf(text) : undefined;
  const own = wanted === undefined ? undefined : originOf(given);
  if (own === undefined) return "part";
  return own === wanted ? "whole" : "foreign";
}

/** Scheme, host and port. `URL.origin` supports only a few schemes. */
function originOf(text: string): string | undefined {
  const [start] = /^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#]+/i.exec(text) ?? [];
  if (start === undefined || !URL.canParse(start)) return undefined;
  const { protocol, host } = new URL(start);
  return `${protocol}//${host}`;
}
