import type { Reply } from "../envelope/reply.ts";
import type { Call, Route } from "../routes/route.ts";
import type { Distortion } from "./distortion.ts";
import type { Schedule } from "./schedule.ts";

/**
 * `page-skip` and `page-repeat`: a page after the first starts one row late or early, as when a record before it is
 * created or deleted between two pages. The page says of itself what was asked for.
 */
export function shiftedPages(schedule: Schedule): Distortion {
  const shifted = (name: string, route: Route, call: Call): Reply => {
    const reply = route.handle(call);
    if (reply.is !== "list" || reply.page === undefined) return reply;
    const { page, records } = reply;
    if (page.offset === 0 || records.length === 0) return reply;
    const due = schedule.due(["page-skip", "page-repeat"], name).find(({ fire }) => fire());
    if (due === undefined) return reply;
    const offset = page.offset + (due.rule.fault === "page-skip" ? 1 : -1);
    const other = route.handle({ ...call, query: { ...call.query, offset: String(offset) } });
    return other.is === "list" ? { ...other, page } : other;
  };
  return (name, route) =>
    schedule.has("page-skip", name) || schedule.has("page-repeat", name)
      ? { ...route, handle: (call) => shifted(name, route, call) }
      : route;
}
