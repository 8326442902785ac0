/** A letter takes up to four bytes, and file systems take 255 with suffix and ending. */
const MOST_LETTERS = 50;

/** Windows reserves the names of devices, whatever the ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * A name as the name of a file: letters and digits in lower case, without accents, words joined by `-`. Names that differ by
 * case, accents, Unicode form or punctuation alone have one slug: they cannot be told apart on every disk.
 * @param otherwise for a name without letters and digits
 */
export function slugOf(name: string, otherwise: string): string {
  const words = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().normalize("NFC");
  const letters = Array.from(words.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, ""));
  const spare = otherwise.replaceAll(" ", "-");
  const slug = letters.slice(0, MOST_LETTERS).join("").replace(/-$/, "") || spare;
  return DEVICE.test(slug) ? `${slug}-${spare}` : slug;
}
