import type { Plan } from "../../domain/plan.ts";
import { probeSources } from "../../jobs/probe-sources.ts";
import type { Probe } from "../../jobs/probe-sources.ts";
import { systemClock } from "../../client/clock.ts";
import { openClient } from "../open-stack.ts";
import type { Session } from "../session.ts";
import type { ImportTarget } from "./apply-and-report.ts";

/** A source whose database is gone answers 500 each time; it is not asked again and again for minutes. */
const RETRY_BUDGET_MS = 5000;

/** Probes the sources that an import was mapped to (`--probe`). A managed stack cannot be asked, which is a warning. */
export async function probeTarget(
  { matches }: Plan,
  { settings }: Pick<ImportTarget, "settings">,
  session: Session,
): Promise<readonly Probe[]> {
  const { events, signal } = session;
  if (settings.identity.variant === "managed") {
    const message = "--probe was left out: a managed stack answers no chart queries";
    events({ type: "warning", warning: { code: "probe-not-offered", message } });
    return [];
  }
  await using client = openClient(settings, session, { maxRetryBudgetMs: RETRY_BUDGET_MS });
  return await probeSources({ client, matches, clock: systemClock }, { events, signal });
}
