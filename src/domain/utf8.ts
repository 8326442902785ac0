const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes as text; undefined for what is not UTF-8: replacing what cannot be decoded would change records without a word. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
