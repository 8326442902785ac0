/** Takes the run's credentials out of whatever is about to be printed: the last gate, should one have slipped through. */
export interface Scrubber {
  /** Values to look for. */
  add(...secrets: readonly string[]): void;
  scrub(text: string): string;
}

/** Shorter than this, a value is found in text that has nothing to do with it. */
const LEAST_LENGTH = 6;
const MARK = "«credential»";

/** A gate that knows no credential yet. */
export function createScrubber(): Scrubber {
  const forms = new Set<string>();
  return {
    add(...secrets) {
      for (const secret of secrets)
        for (const form of formsOf(secret)) if (form.length >= LEAST_LENGTH) forms.add(form);
    },
    // The longest first, so that nothing is left of one that another is a part of.
    scrub: (text) =>
      [...forms].sort((a, b) => b.length - a.length).reduce((cleaned, form) => cleaned.replaceAll(form, MARK), text),
  };
}

/** A credential as written, inside JSON, in an address, and in a Basic header. */
function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret, "utf8").toString("base64"),
  ];
}
