import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { escapeForRegExp } from "../core/text/format.ts";

/** An error response may be JSON, plain text or HTML (docs/api.md#envelopes). */
export interface ErrorBody {
  readonly message: string;
  readonly excerpt: string;
  readonly requestId?: string;
  readonly html: boolean;
}

export type CredentialMask = (text: string) => string;

/** Long, because the server joins all faults of a dashboard into one message. */
const MAX_MESSAGE = 2000;
const MAX_EXCERPT = 300;
const MAX_REQUEST_ID = 100;
const MAX_HTML = 8192;
/** A shorter secret is not masked, because it would match innocent text. */
const MIN_SECRET = 4;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

export function readErrorBody(text: string, headers: Headers, maskCredentials: CredentialMask): ErrorBody {
  const html = isHtmlPage(text);
  const plain = maskCredentials(html ? textOfHtml(text) : text);
  const json = parseObject(text);
  return {
    message: singleLine(json === undefined ? plain : maskCredentials(messageOf(json)), MAX_MESSAGE),
    excerpt: singleLine(plain, MAX_EXCERPT),
    requestId: requestIdOf(json, headers, maskCredentials),
    html,
  };
}

/** Empty for JSON, which may be a record with a secret. */
export function excerptOfForeignBody(text: string, maskCredentials: CredentialMask): string {
  if (isHtmlPage(text)) return singleLine(maskCredentials(textOfHtml(text)), MAX_EXCERPT);
  return /^\s*[[{"]/.test(text) ? "" : singleLine(maskCredentials(text), MAX_EXCERPT);
}

export function requestIdOf(
  json: JsonObject | undefined,
  headers: Headers,
  maskCredentials: CredentialMask,
): string | undefined {
  const inBody = json?.["requestId"];
  const id = typeof inBody === "string" ? inBody : headers.get("x-request-id");
  return id === null ? undefined : singleLine(maskCredentials(id), MAX_REQUEST_ID);
}

/** The mask replaces secrets in a response: some servers echo the request's headers. */
export function createCredentialMask(secrets: readonly string[]): CredentialMask {
  const forms = secrets.filter((secret) => secret.length >= MIN_SECRET).map(withBlanks);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, "«credential»"), text);
}

/** Line breaks, or tags that became spaces, can split a secret. */
function withBlanks(secret: string): RegExp {
  return new RegExp(Array.from(secret, escapeForRegExp).join(String.raw`\s{0,8}`), "g");
}

export function singleLine(text: string, max: number): string {
  const line = text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
    .trim();
  const characters = Array.from(line.slice(0, 2 * max + 2));
  return characters.length <= max ? characters.join("") : `${characters.slice(0, max - 1).join("")}…`;
}

/** Ignores the content type: a plain sentence may be sent as HTML (recording 110). */
export function isHtmlPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(text);
}

export function textOfHtml(html: string): string {
  const top = html.slice(0, MAX_HTML);
  const visible = top
    .replaceAll(/<(script|style|title)\b[\s\S]*?<\/\1>/gi, " ")
    .replaceAll(/<!--|-->/g, " ")
    .replaceAll(/<[^<>]*>/g, " ");
  const decoded = visible.replaceAll(
    /&(#39|[a-z]+);/gi,
    (entity, name: string) => ENTITIES[name.toLowerCase()] ?? entity,
  );
  return decoded.trim() === "" ? (/<title>([^<]*)/i.exec(top)?.[1] ?? "") : decoded;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function messageOf({ message, error }: JsonObject): string {
  if (typeof message === "string") return message;
  if (typeof error === "string") return error;
  const inner = isJsonObject(error) ? error["message"] : undefined;
  return typeof inner === "string" ? inner : "";
}
