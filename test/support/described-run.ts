import { documentMarkdown } from "../../src/cli/output/markdown.ts";
import { createTheme, type OutputOptions } from "../../src/cli/output/terminal.ts";
import { documentText } from "../../src/cli/output/text.ts";
import type { Plan } from "../../src/core/plan/plan.ts";
import { documentPage } from "../../src/report/html/document-page.ts";
import { planDocument, type PlannedRun } from "../../src/report/view/plan.ts";

/** Describes a plan, or its result if `outcomes` are given, with plain words around it. */
export function describedRun(plan: Plan, more: Partial<PlannedRun> = {}): PlannedRun {
  const around = {
    headline: "a.zip → staging",
    notes: [],
    facts: [],
    next: [],
  };
  return { plan, records: [], whole: false, ...around, ...more };
}

export const plainDisplay: OutputOptions = { theme: createTheme(false), columns: undefined };

/** Prints a plan or a result as the terminal shows it. */
export function textOfRun(run: PlannedRun, display: OutputOptions = plainDisplay): string {
  return documentText(planDocument({ ...run, whole: display.verbose === true }), display);
}

export function markdownOfRun(run: PlannedRun): string {
  return documentMarkdown(planDocument(run));
}

export function pageOfRun(run: PlannedRun): Promise<string> {
  return documentPage(planDocument({ ...run, whole: true }), "test");
}
