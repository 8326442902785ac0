import type { Manifest } from "../../core/manifest.ts";
import type { KindName, StackRecord } from "../../core/record.ts";
import { kinds } from "../../kinds/registry.ts";
import type { Html, Part } from "../html.ts";
import { html } from "../html.ts";
import type { StackModel } from "../model/stack.ts";
import { isShort, linkTo, section, table } from "../page/parts.ts";
import type { OwnParts } from "../page/record-item.ts";
import { extraItem, recordItem, titleOf } from "../page/record-item.ts";
import { alertParts } from "./alert.ts";
import { dashboardParts } from "./dashboard.ts";
import { pipeParts } from "./pipe.ts";
import { otherParts, sourceMapOf, sourceParts, webhookParts } from "./sources-and-webhooks.ts";

/** What a plan or a comparison says of a record, on top of what it is. */
export interface Annotation {
  readonly state: string;
  readonly badge: Html;
  /** Why; seen without opening the record, and found by the search by its code. */
  readonly why: Part;
  readonly code: string;
  /** Stands above the record's own description. */
  readonly note: Part;
  /** Records with less come first. */
  readonly rank: number;
}

/** Says something of a record; undefined leaves the record out. */
export type Annotate = (record: StackRecord) => Annotation | undefined;

type PartsOf = (record: StackRecord, model: StackModel) => OwnParts;

/** How records of each kind are shown. A kind that is not here is shown by its members. */
const PARTS: Readonly<Record<KindName, PartsOf>> = {
  dashboards: dashboardParts,
  alerts: alertParts,
  sources: sourceParts,
  webhooks: webhookParts,
  pipes: pipeParts,
};

/** Drawn above the records of a kind. */
const ABOVE: Readonly<Record<KindName, (model: StackModel) => Part>> = { sources: sourceMapOf };

/** A section for each kind that has records, every record described. */
export function recordSections(model: StackModel, annotate?: Annotate): Html[] {
  const known = kinds.map(({ name }) => name);
  const others = [...new Set(model.records.map(({ kind }) => kind))].filter((kind) => !known.includes(kind));
  return [...known, ...others].flatMap((kind) => {
    const items = model.records
      .filter((record) => record.kind === kind)
      .flatMap((record) => {
        const annotation = annotate?.(record);
        return annotate !== undefined && annotation === undefined ? [] : [{ record, annotation }];
      })
      .sort((a, b) => (a.annotation?.rank ?? 0) - (b.annotation?.rank ?? 0));
    if (items.length === 0) return [];
    const shown = items.map(({ record, annotation }) => describe(record, model, annotation));
    const above = Object.hasOwn(ABOVE, kind) ? ABOVE[kind]?.(model) : undefined;
    return [section(kind, titleOf(kind), items.length, [above, shown])];
  });
}

function describe(record: StackRecord, model: StackModel, annotation: Annotation | undefined): Html {
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
