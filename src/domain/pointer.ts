/** Writes pointer tokens as an RFC 6901 JSON pointer: `["a", "b/c"]` → `/a/b~1c`. */
export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
