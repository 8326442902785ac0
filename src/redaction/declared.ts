import type { JsonObject, JsonValue } from "../core/json.ts";
import { formatPointer, placesAt, withValueAt } from "../core/records/member-path.ts";
import type { ResourceKind, SecretPath } from "../core/resource-kind.ts";
import { placeholderOfRule } from "./placeholders.ts";

/** A body without its secrets, and the places where they were: one entry per rule and pointer. */
export interface RedactedBody {
  readonly body: JsonObject;
  readonly redactions: readonly { readonly pointer: string; readonly rule: string }[];
}

/** Redacts the secrets that the kind declares. Idempotent. */
export function redactDeclared(kind: ResourceKind, body: JsonObject): RedactedBody {
  const original: RedactedBody = { body, redactions: [] };
  return kind.secrets.reduce(redactPath, original);
}

function redactPath(redacted: RedactedBody, secret: SecretPath): RedactedBody {
  return placesAt(redacted.body, secret.path).reduce((result, place) => {
    const replacement = withoutSecret(place.value, secret);
    if (replacement === place.value) return result;
    return {
      body: withValueAt(result.body, place.tokens, replacement),
      redactions: [...result.redactions, { pointer: formatPointer(place.tokens), rule: secret.rule }],
    };
  }, redacted);
}

function withoutSecret(value: JsonValue, secret: SecretPath): JsonValue {
  if (value === null || value === "" || secret.except?.some((word) => word === value) === true) return value;
  const mark = placeholderOfRule(secret.rule);
  if (secret.keep === "origin" && typeof value === "string") {
    const origin = originOf(value);
    if (origin === value || value === `${origin}/${mark}`) return value;
    if (origin !== undefined) return `${origin}/${mark}`;
  }
  return mark;
}

/** Returns the origin of a URL; undefined if there is none (`data:`), or if its host is itself the secret. */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return origin === "null" || INBOX_HOST.test(hostname) ? undefined : origin;
}

/**
 * Services that give each user a host of their own. Anyone who knows such a host can send to it, and often read what others have
 * sent.
 */
const INBOXES =
  "pipedream.net webhook.site emailhook.site requestcatcher.com requestbin.com requestbin.net beeceptor.com hookb.in oast.pro oast.live oast.site oast.online oast.fun oast.me interact.sh burpcollaborator.net oastify.com ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt localhost.run lhr.life serveo.net devtunnels.ms".split(
    " ",
  );
const INBOX_HOST = new RegExp(
  String.raw`^[^.]+\.(?:[\w-]+\.)?(?:${INBOXES.join("|").replaceAll(".", String.raw`\.`)}|lambda-url\.[\w-]+\.on\.aws)$`,
  "i",
);
