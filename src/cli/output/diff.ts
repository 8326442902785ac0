import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import type { Diff } from "../../core/diff.ts";
import { diffDocument } from "../../report/view/diff.ts";
import type { ReportedSide } from "./document.ts";
import { documentMarkdown } from "./markdown.ts";
import type { OutputOptions } from "./terminal.ts";
import { documentText } from "./text.ts";

/** Prints a comparison as text. It names every record that differs, because the user asked for them. */
export function diffText(diff: Diff, left: ReportedSide, right: ReportedSide, display: OutputOptions): string {
  return documentText(describedDiff(diff, left, right, display.verbose === true), display);
}

/** Prints a comparison in Markdown. */
export function diffMarkdown(diff: Diff, left: ReportedSide, right: ReportedSide): string {
  return documentMarkdown(describedDiff(diff, left, right, false));
}

function describedDiff(diff: Diff, left: ReportedSide, right: ReportedSide, whole: boolean) {
  const hasIds = !("files" in left) && !("files" in right);
  return diffDocument({ diff, left: sideText(left), right: sideText(right), facts: [], whole, hasIds });
}

function sideText(stack: ReportedSide): string {
  return "files" in stack ? `${stack.label} (files)` : `${stack.label} (${stackAddressOf(stack)})`;
}
