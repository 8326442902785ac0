import type { SandboxVariant } from "../options.ts";

export interface Envelope {
  success(reply: Reply, requestId: string): RawResponse;
  refusal(refusal: Refusal, requestId: string): RawResponse;
}

const selfHosted: Envelope = {
  success(reply) {
    if (reply.is === "deleted") return jsonResponse(200, {});
    if (reply.is === "bare") return jsonResponse(200, reply.body);
    if (reply.is === "record") return jsonResponse(200, { data: reply.record });
    const { records, page, meta } = reply;
    if (page === undefined) return jsonResponse(200, { data: records, ...(meta && { meta }) });
    return jsonResponse(200, { data: records, meta: page }, { "X-Total-Count": String(page.total) });
  },
  refusal({ status, message, format }) {
    if (format === "json") return jsonResponse(status, { message });
    const type = format === "text" ? CONTENT_TYPES.text : CONTENT_TYPES.html;
    return { status, headers: { "Content-Type": type }, body: message };
  },
};

const managed: Envelope = {
  success(reply, requestId) {
    const envelope = { status: 200, requestId };
    if (reply.is === "deleted") return jsonResponse(200, envelope);
    if (reply.is === "bare") return jsonResponse(200, { ...envelope, result: reply.body });
    return jsonResponse(200, { ...envelope, result: reply.is === "record" ? reply.record : reply.records });
  },
  refusal({ status, message }, requestId) {
    return jsonResponse(status, { status, error: message, requestId });
  },
};

/** See docs/api.md#envelopes. */
export function envelopeOf(variant: SandboxVariant): Envelope {
  return variant === "managed" ? managed : selfHosted;
}

interface Page {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export type Reply =
  | { readonly is: "record"; readonly record: unknown }
  | { readonly is: "list"; readonly records: readonly unknown[]; readonly page?: Page; readonly meta?: object }
  | { readonly is: "deleted" }
  // Self-hosted stacks send this body without an envelope.
  | { readonly is: "bare"; readonly body: unknown };

/** Managed stacks send JSON in place of `text` and `html`. `page` is the page for a missing route. */
export type RefusalFormat = "json" | "text" | "html" | "page";

export class Refusal extends Error {
  readonly status: number;
  readonly format: RefusalFormat;

  constructor(status: number, message: string, format: RefusalFormat = "json") {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.format = format;
  }
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const CONTENT_TYPES = {
  json: "application/json; charset=utf-8",
  text: "text/plain; charset=utf-8",
  html: "text/html; charset=utf-8",
} as const;

function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RawResponse {
  return { status, headers: { "Content-Type": CONTENT_TYPES.json, ...headers }, body: JSON.stringify(body) };
}

/** Byte for byte as in recordings 07 and 69. */
export function noRoutePage(method: string, path: string): RawResponse {
  const line = `Cannot ${method} ${path}`.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const body = [
    "<!DOCTYPE html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    "<title>Error</title>",
    "</head>",
    "<body>",
    `<pre>${line}</pre>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
  const headers = {
    "Content-Type": CONTENT_TYPES.html,
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
  };
  return { status: 404, headers, body };
}
