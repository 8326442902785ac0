import { printable } from "../../../core/text/printable.ts";

/**
 * Text that Markdown shows as it is: no markup, no link, no mention, no table cell that ends early. An address is not made a
 * link of by itself either, which is why the colon and the dots of one are written as entities.
 */
export function plain(text: string): string {
  return (
    printable(text)
      .replaceAll(/[&<>]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? "")
      .replaceAll(/[\\`*_[\]#|~$]/g, "\\$&")
      // A forge looks for `#12` and `GH-12` in the text after Markdown has read it, where a backslash is gone.
      .replaceAll(/#(?=\d)/g, "#&#8203;")
      .replaceAll(/\bGH-(?=\d)/gi, "$&&#8203;")
      .replaceAll("@", "@&#8203;")
      .replaceAll("://", "&#58;//")
      .replaceAll(/\bwww\./gi, "www&#46;")
  );
}

/** Text in backquotes: more of them than the text has in a row. */
export function code(text: string): string {
  const shown = printable(text).replaceAll("|", String.raw`\|`);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = shown.startsWith("`") || shown.endsWith("`") || shown === "" ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}
