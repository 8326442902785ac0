import { isJsonObject } from "../domain/json.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import { isHtmlPage, printable, textOfHtml } from "./excerpt.ts";
import type { Scrub } from "./excerpt.ts";

/** What an error's body says; none of it may be taken for granted (field notes, "Envelopes and errors"). */
export interface ErrorBody {
  /** The server's own words: `message` or `error` of a JSON body, plain text, or the text of a page. May be empty. */
  readonly message: string;
  /** The beginning of the body, printable. */
  readonly excerpt: string;
  readonly requestId?: string;
  readonly html: boolean;
}

/** Long enough for the issues of a whole dashboard, joined by the server. */
const MESSAGE_LENGTH = 2000;
const EXCERPT_LENGTH = 300;
const REQUEST_ID_LENGTH = 100;

/** Reads an error's body in any of its forms. */
export function readErrorBody(text: string, headers: Headers, scrub: Scrub): ErrorBody {
  const html = isHtmlPage(text);
  const plain = scrub(html ? textOfHtml(text) : text);
  const json = parseObject(text);
  const requestId = requestIdOf(json, headers);
  return {
    message: printable(json === undefined ? plain : scrub(messageOf(json)), MESSAGE_LENGTH),
    excerpt: printable(plain, EXCERPT_LENGTH),
    ...(requestId !== undefined && { requestId: printable(scrub(requestId), REQUEST_ID_LENGTH) }),
    html,
  };
}

/** The id that the stack gave to a request (contract 4.2), for its operators. */
export function requestIdOf(json: JsonObject | undefined, headers: Headers): string | undefined {
  const inBody = json?.["requestId"];
  return typeof inBody === "string" ? inBody : (headers.get("x-request-id") ?? undefined);
}

/** `JSON.parse`, with a type. @throws SyntaxError */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  return value;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(json: JsonObject): string {
  const { message, error } = json;
  if (typeof message === "string") return message;
  if (typeof error === "string") return error;
  const inner = isJsonObject(error) ? error["message"] : undefined;
  return typeof inner === "string" ? inner : "";
}
