import { StackferryError } from "../core/errors.ts";
import type { RequestHeader } from "../core/ports.ts";

/** Matches the name of a header (RFC 9110, section 5.1). */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** Matches a value that a header can hold. With any other text, the HTTP library's error would quote the value. */
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/** The headers that the client sets itself, and those of the connection. */
const RESERVED = new Set(
  "accept authorization connection content-length content-type expect host keep-alive te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/**
 * Returns a stack's own headers in the form in which they are sent. The messages name a header, never its value.
 * @param isProxied true if the stack is reached through a proxy
 * @throws StackferryError `config` for a header that cannot be sent
 */
export function checkHeaders(headers: readonly RequestHeader[], isProxied: boolean): Readonly<Record<string, string>> {
  const checked: Record<string, string> = {};
  for (const { name, value } of headers) {
    if (!NAME.test(name)) throw unusable(name, "has a name that is none", "write letters, digits and -");
    const key = name.toLowerCase();
    if (RESERVED.has(key)) throw unusable(name, "is one that the program sets itself", "leave it out");
    if (key === "proxy-authorization" && isProxied) {
      throw unusable(name, "would be taken by the proxy", "add the stack's host to NO_PROXY, or leave the header out");
    }
    if (Object.hasOwn(checked, key)) throw unusable(name, "is given twice", "names that differ only in case are one");
    if (!VALUE.test(value)) {
      throw unusable(name, "is empty, or holds line breaks or characters outside ASCII", "correct its value");
    }
    checked[key] = value;
  }
  return checked;
}

function unusable(name: string, problem: string, hint: string): StackferryError {
  return new StackferryError("config", `the header ${JSON.stringify(name)} ${problem}`, { hint });
}

/** Minimum length of a part of a header's value that counts as a secret by itself. */
const MIN_PART = 8;

/**
 * Returns the texts of secret headers that must not appear anywhere: each value, and each part of it that may be a token, as in
 * `Bearer TOKEN` and `session=TOKEN`.
 */
export function secretsOfHeaders(headers: readonly RequestHeader[]): string[] {
  const values = headers.filter(({ isSecret }) => isSecret).map(({ value }) => value);
  const parts = values.flatMap((value) => value.split(/[\s;,]+|(?<=^|[\s;,])[\w-]+=/));
  return [...new Set([...values, ...parts.filter((part) => part.length >= MIN_PART && /[^a-z-]/i.test(part))])];
}
