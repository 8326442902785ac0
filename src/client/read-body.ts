/** What was read of a body, and how the reading ended. */
export type BodyBytes =
  | { readonly end: "whole" | "too long"; readonly bytes: Uint8Array }
  | { readonly end: "cut"; readonly bytes: Uint8Array; readonly error: unknown };

/** Reads a body up to `maxBytes` (unpacked) and drops the rest. Never rejects: a broken connection leaves what came before it. */
export async function readBody(response: Response, maxBytes: number): Promise<BodyBytes> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const bytes = (): Uint8Array => Buffer.concat(chunks, Math.min(size, maxBytes));
  try {
    for await (const chunk of receive(response)) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > maxBytes) return { end: "too long", bytes: bytes() };
    }
  } catch (error) {
    return { end: "cut", bytes: bytes(), error };
  }
  return { end: "whole", bytes: bytes() };
}

/** A body's chunks, unpacked. */
export function receive(response: Response): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return (response.body ?? []) as Iterable<Uint8Array> | ReadableStream<Uint8Array>;
}
