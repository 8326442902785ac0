import { Refusal } from "./refusal.ts";

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * The JSON body of a request; an empty object where there is none or it is of another type. Throws `Refusal`: 413
 * over 32 MB, 400 where it is no JSON. A body that is too large is still read to its end, so that the answer
 * reaches a client that listens only after it has sent everything.
 */
export async function readBody(request: Request): Promise<unknown> {
  if (request.body === null) return {};
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new Refusal(413, "Something went wrong :(");
  if (size === 0 || !/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) return {};
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof body === "object" && body !== null) return body;
  } catch {
    // Whatever is wrong with it, the servers have one sentence for it (recording 63).
  }
  throw new Refusal(400, "Invalid JSON payload");
}
