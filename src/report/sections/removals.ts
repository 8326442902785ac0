import { nounOf } from "../../kinds/id-spaces.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Plan } from "../../core/importing/plan.ts";
import { targetKey } from "../../core/records/record.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import { isShort, nameOr, section, table } from "../page/parts.ts";
import { extraItem } from "../page/record-item.ts";

/** What the target has and the source no longer does: what is, or was, deleted, and what is not and why. */
export function removalsSection({ mirror }: Plan, outcomes: readonly Outcome[] = []): Html | false {
  if (mirror === undefined || mirror.removals.length === 0) return false;
  const ends = new Map(
    outcomes.map((outcome) => [targetKey({ kind: outcome.kind, targetId: outcome.targetId ?? "" }), outcome]),
  );
  const rows = mirror.removals.map((removal) => {
    const { kind, name, targetId, action, code = "", message = code } = ends.get(targetKey(removal)) ?? removal;
    const status = ends.get(targetKey(removal))?.status;
    const what = action === "delete" ? (status === "done" ? "deleted" : (status ?? "delete")) : action;
    return [what, nounOf(kind), html`${nameOr(name, targetId ?? "")} <code>${targetId ?? ""}</code>`, message];
  });
  const content = extraItem({
    kind: "removals",
    called: "what the source no longer has",
    title: "Gone from the source",
    about: "what the target has, and the source no longer does",
    find: mirror.removals.map(({ name }) => name).join(" "),
    open: isShort(rows),
    content: table("Gone from the source", ["Result", "What", "Name on the target", "Why"], rows),
  });
  return section("removals", "Gone from the source", mirror.removals.length, content);
}
