import { printable } from "../../../core/text/printable.ts";

/**
 * Escapes text so that Markdown renders it verbatim: no markup, link, mention or early end of a table cell. Colons and dots of an
 * address are written as entities, because Markdown would turn a bare address into a link.
 */
export function plain(text: string): string {
  return (
    printable(text)
      .replaceAll(/[&<>]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? "")
      .replaceAll(/[\\`*_[\]#|~$]/g, "\\$&")
      // A forge turns `#12` and `GH-12` into links even after a backslash, so a zero-width space separates the characters.
      .replaceAll(/#(?=\d)/g, "#&#8203;")
      .replaceAll(/\bGH-(?=\d)/gi, "$&&#8203;")
      .replaceAll("@", "@&#8203;")
      .replaceAll("://", "&#58;//")
      .replaceAll(/\bwww\./gi, "www&#46;")
  );
}

/** Puts text in backquotes: one more than the longest run of backquotes in the text. */
export function code(text: string): string {
  const content = printable(text).replaceAll("|", String.raw`\|`);
  const longest = Math.max(0, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = content.startsWith("`") || content.endsWith("`") || content === "" ? " " : "";
  return `${fence}${space}${content}${space}${fence}`;
}
