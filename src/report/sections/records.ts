import { groupBy } from "../../core/collections.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { KindName, StackRecord } from "../../core/records/record.ts";
import type { Steps } from "../../core/steps.ts";
import { mapInSteps } from "../../core/steps.ts";
import { inReadingOrder } from "../../kinds/registry.ts";
import type { Html, Part } from "../html.ts";
import { html } from "../html.ts";
import type { StackModel } from "../model/stack.ts";
import { isShort, linkTo, section, table } from "../page/parts.ts";
import type { OwnParts } from "../page/record-item.ts";
import { extraItem, recordItem, titleOf } from "../page/record-item.ts";
import { alertParts } from "./alert.ts";
import { sourceTable } from "./breakage.ts";
import { dashboardParts } from "./dashboard.ts";
import { pipeParts } from "./pipe.ts";
import { savedSearchParts } from "./saved-search.ts";
import { connectionParts, otherParts, sourceParts, webhookParts } from "./sources-and-webhooks.ts";

/** What a plan says of a record, on top of what it is. */
export interface Annotation {
  readonly state: string;
  readonly badge: Html;
  /** Why; seen without opening the record, and found by the search by its code. */
  readonly why: Part;
  readonly code: string;
  /** Stands above the record's own description. */
  readonly note: Part;
}

type PartsOf = (record: StackRecord, model: StackModel) => OwnParts;

/** How records of each kind are shown. A kind that is not here is shown by its members. */
const PARTS: Readonly<Record<KindName, PartsOf>> = {
  dashboards: dashboardParts,
  alerts: alertParts,
  connections: connectionParts,
  sources: sourceParts,
  webhooks: webhookParts,
  pipes: pipeParts,
  "saved-searches": savedSearchParts,
};

/** Stands above the records of a kind. */
const ABOVE: Readonly<Record<KindName, (model: StackModel) => Part>> = { sources: sourceTable };

/** A section for each kind that has records, every record described: a step for each. */
export function* recordSections(model: StackModel): Steps<Html[]> {
  const all = inReadingOrder(model.records, ({ kind }) => kind);
  const sections: Html[] = [];
  for (const [kind, records] of groupBy(all, ({ kind: each }) => each)) {
    const above = Object.hasOwn(ABOVE, kind) ? ABOVE[kind]?.(model) : undefined;
    yield;
    const described = yield* mapInSteps(records, (record) => describe(record, model));
    sections.push(section(kind, titleOf(kind), records.length, [above, described]));
  }
  return sections;
}

/** A record, and what a plan says of it. */
export function describe(record: StackRecord, model: StackModel, annotation?: Annotation): Html {
  const parts = partsOf(record, model);
  const { kind, id, name } = record;
  if (annotation === undefined) return recordItem({ kind, id, name, ...parts });
  const { state, badge, why, code, note } = annotation;
  const find = code === "" ? parts.find : [...parts.find, code];
  return recordItem({ kind, id, name, ...parts, state, badge, why, find, content: [note, parts.content] });
}

/** What a record has to tell, whatever its kind. */
export function partsOf(record: StackRecord, model: StackModel): OwnParts {
  const parts = (Object.hasOwn(PARTS, record.kind) ? PARTS[record.kind] : undefined) ?? otherParts;
  return parts(record, model);
}

/** What was taken out of the records because it was, or might be, a secret, and where. */
export function redactionSection({ redactions, entries }: Manifest, model: StackModel): Html | false {
  if (redactions.length === 0) return false;
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const rows = redactions.map(({ path, pointer, rule }) => {
    const entry = byPath.get(path);
    const record = entry === undefined ? html`<code>${path}</code>` : linkTo(model, entry.kind, entry.id);
    return [record, html`<code>${pointer}</code>`, rule];
  });
  const rules = [...new Set(redactions.map(({ rule }) => rule))];
  const content = extraItem({
    kind: "redactions",
    called: "the redactions",
    title: "What was taken out, and where",
    about: rules.join(", "),
    find: `redactions secrets ${rules.join(" ")}`,
    open: isShort(rows),
    content: table("Redactions", ["Record", "Member", "Rule"], rows),
  });
  return section("redactions", "Redactions", redactions.length, content);
}
