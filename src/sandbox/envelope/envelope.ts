import type { SandboxVariant } from "../options.ts";
import type { Refusal } from "../refusal.ts";
import type { Answer, Reply } from "./reply.ts";
import { CONTENT_TYPES, jsonAnswer } from "./reply.ts";

/** How a variant writes its answers. */
export interface Envelope {
  success(reply: Reply, requestId: string): Answer;
  refusal(refusal: Refusal, requestId: string): Answer;
}

const selfHosted: Envelope = {
  success(reply) {
    if (reply.is === "deleted") return jsonAnswer(200, {});
    if (reply.is === "verdict") return jsonAnswer(200, reply.verdict);
    if (reply.is === "record") return jsonAnswer(200, { data: reply.record });
    const { records, page } = reply;
    if (page === undefined) return jsonAnswer(200, { data: records });
    return jsonAnswer(200, { data: records, meta: page }, { "X-Total-Count": String(page.total) });
  },
  refusal({ status, message, form }) {
    if (form === "json") return jsonAnswer(status, { message });
    const type = form === "text" ? CONTENT_TYPES.text : CONTENT_TYPES.html;
    return { status, headers: { "Content-Type": type }, body: message };
  },
};

const managed: Envelope = {
  success(reply, requestId) {
    const envelope = { status: 200, requestId };
    if (reply.is === "deleted") return jsonAnswer(200, envelope);
    if (reply.is === "verdict") return jsonAnswer(200, { ...envelope, result: reply.verdict });
    return jsonAnswer(200, { ...envelope, result: reply.is === "record" ? reply.record : reply.records });
  },
  refusal({ status, message }, requestId) {
    return jsonAnswer(status, { status, error: message, requestId });
  },
};

/** The envelope of a variant (field notes, Envelopes and errors). */
export function envelopeOf(variant: SandboxVariant): Envelope {
  return variant === "managed" ? managed : selfHosted;
}
