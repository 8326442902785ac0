import { StackferryError } from "../domain/errors.ts";

/**
 * Reads the address of a notification. It often holds a token, so no message repeats it.
 * @param what the flag or variable that it comes from
 * @throws StackferryError `usage`
 */
export function notifyUrl(text: string, what: string): URL {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) {
    throw new StackferryError("usage", `${what} must be an http or https address`);
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw new StackferryError("usage", `${what} holds a user name or password`, {
      hint: "take it out: what is told of a run carries no credential",
    });
  }
  return url;
}
