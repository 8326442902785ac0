import type { KindName, StackRecord } from "../../domain/record.ts";
import { kinds } from "../../kinds/registry.ts";
import type { Html, Part } from "../html.ts";
import type { StackModel } from "../model/stack-model.ts";
import { section } from "../page/parts.ts";
import { recordItem } from "../page/record-item.ts";
import type { OwnParts } from "../page/record-item.ts";
import { titleOf } from "../page/title-of.ts";
import { alertParts } from "./alert-parts.ts";
import { dashboardParts } from "./dashboard-parts.ts";
import { otherParts } from "./other-parts.ts";
import { pipeParts } from "./pipe-parts.ts";
import { sourceMapOf, sourceParts } from "./source-parts.ts";
import { webhookParts } from "./webhook-parts.ts";

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
