/** An address of which a part of the path was taken out, at its end: an origin, what is left of the path, one placeholder. */
const CUT_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#«]+\/[^\s?#«]*«redacted:[a-z][a-z0-9-]{0,63}»$/i;

/**
 * How a value goes with the text that it is for. People paste a whole address where only the end of one was asked for: `whole` is
 * one of the same host and takes the place of all the text, `foreign` is one of another host and must not be used. Anything
 * else is a `part`, and takes the placeholder's place.
 */
export function addressGiven(text: string, given: string): "part" | "whole" | "foreign" {
  const wanted = CUT_ADDRESS.test(text) ? originOf(text) : undefined;
  const own = wanted === undefined ? undefined : originOf(given);
  if (own === undefined) return "part";
  return own === wanted ? "whole" : "foreign";
}

/** Scheme, host and port. `URL.origin` knows them of a few schemes only. */
function originOf(text: string): string | undefined {
  const [start] = /^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#]+/i.exec(text) ?? [];
  if (start === undefined || !URL.canParse(start)) return undefined;
  const { protocol, host } = new URL(start);
  return `${protocol}//${host}`;
}
