/** Writes pointer tokens as an RFC 6901 JSON pointer: `["a", "b/c"]` → `/a/b~1c`. */
export function formatPointer(tokens: readonly string[]): string {
  let pointer = "";
  for (const token of tokens) pointer += `/${/[~/]/.test(token) ? escaped(token) : token}`;
  return pointer;
}

function escaped(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}
