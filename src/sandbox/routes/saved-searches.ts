import { isDeepStrictEqual } from "node:util";
import { Refusal } from "../errors.ts";
import type { SandboxRecord } from "../store/record.ts";
import type { SavedSearch } from "../schema/saved-search.ts";
import { isRenderable, savedSearchSchema } from "../schema/saved-search.ts";
import type { Call, Route, Stack } from "./route.ts";
import { bodyOf, checkId, existing, isoNow, pageOf } from "./route.ts";

/** Saved searches: a paged list, create, get, update, delete, on both variants. */
export function savedSearchRoutes(stack: Stack): readonly Route[] {
  const savedSearches = stack.store["saved-searches"];
  const get = ({ id }: Call) => shown(existing(stack, "saved-searches", id));
  return [
    { method: "GET", path: "saved-searches", writes: false, handle: (call) => pageOf(savedSearches, call.query) },
    { method: "POST", path: "saved-searches", writes: true, handle: (call) => shown(create(stack, call)) },
    { method: "GET", path: "saved-searches/:id", writes: false, handle: get },
    { method: "PUT", path: "saved-searches/:id", writes: true, handle: (call) => shown(update(stack, call)) },
    { method: "DELETE", path: "saved-searches/:id", writes: true, handle: (call) => remove(stack, call) },
  ];
}

function shown(search: SandboxRecord) {
  return { is: "record", record: search } as const;
}

function create(stack: Stack, call: Call): SandboxRecord {
  const sent = bodyOf(stack, savedSearchSchema(stack.ids), call);
  checkReferences(stack, sent, []);
  const at = isoNow(stack);
  return keep(stack, sent, { id: stack.ids.id(), teamId: stack.identity.teamId, createdAt: at, updatedAt: at });
}

function update(stack: Stack, call: Call): SandboxRecord {
  const { id } = call;
  checkId(stack, id);
  const sent = bodyOf(stack, savedSearchSchema(stack.ids), call);
  const { filters, teamId, createdAt } = existing(stack, "saved-searches", id);
  checkReferences(stack, sent, Array.isArray(filters) ? filters : []);
  return keep(stack, sent, { id, teamId, createdAt, updatedAt: isoNow(stack) });
}

/** Its alerts go with it, without a word in the answer (recordings 492, 493). */
function remove(stack: Stack, { id }: Call) {
  const { store } = stack;
  existing(stack, "saved-searches", id);
  store["saved-searches"].delete(id);
  for (const alert of store.alerts.values()) if (alert["savedSearchId"] === id) store.alerts.delete(alert.id);
  return { is: "deleted" } as const;
}

/** A filter that the web interface made is taken where the stored record has it already (recording 465). */
function checkReferences({ store }: Stack, sent: SavedSearch, stored: readonly unknown[]): void {
  if (!store.sources.has(sent.sourceId)) throw new Refusal(400, "sourceId must be an existing source id");
  for (const [index, filter] of sent.filters.entries()) {
    if (isRenderable(filter) || stored.some((each) => isDeepStrictEqual(each, filter))) continue;
    const shapes = `"<column> IN ('<value>', ...)", "NOT IN (...)", or "BETWEEN <n> AND <n>"`;
    const rest = "Other shapes are only accepted on update when preserved unchanged from the stored saved search.";
    throw new Refusal(400, `filters[${index}] must be a sidebar-renderable SQL predicate (e.g. ${shapes}). ${rest}`);
  }
}

/** The record in the server's order (recording 432). */
function keep(
  { store }: Stack,
  { name, select, where, whereLanguage, orderBy, sourceId, tags, filters }: SavedSearch,
  { id, ...own }: { readonly id: string; readonly [member: string]: unknown },
): SandboxRecord {
  const search = { id, name, select, where, whereLanguage, orderBy, sourceId, tags, filters, ...own };
  store["saved-searches"].set(id, search);
  return search;
}
