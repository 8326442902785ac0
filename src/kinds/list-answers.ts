import { messageWithHint, neededRightHint, StackError, StackferryError, type ErrorCode } from "../core/errors.ts";
import type { Warning } from "../core/outcome.ts";
import type { ListGap } from "../core/ports.ts";
import type { KindName, StackIdentity, Variant } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { pluralize } from "../core/text/format.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { pluralOf } from "./nouns.ts";

const NOT_SERVED: readonly (ErrorCode | undefined)[] = ["not-offered", "not-found"];

/**
 * An address without the required lists would pass for an empty stack: a backup would be empty, a plan would create everything.
 * @param failures by kind; the value is undefined for a list that was read
 */
export function foreignApiError(
  identity: StackIdentity,
  kinds: readonly ResourceKind[],
  failures: ReadonlyMap<KindName, ErrorCode | undefined>,
): StackferryError | undefined {
  const required = kinds.filter((kind) => failures.has(kind.name) && isListedEverywhere(kind, identity.variant));
  if (required.length === 0 || required.some(({ name }) => !NOT_SERVED.includes(failures.get(name)))) return undefined;
  const names = required.map(({ name }) => name).join(", ");
  const message = `this is not the API: ${identity.baseUrl} serves none of ${names}`;
  return new StackferryError("protocol", message, { hint: likelyMistake(identity) });
}

export function isListedEverywhere({ routes }: ResourceKind, variant: Variant): boolean {
  const { list } = routes[variant];
  return list !== undefined && list.optional !== true;
}

/** Undefined for a kind that every deployment lists, because no export or plan works without it. */
export function missingRightError(
  kind: ResourceKind,
  variant: Variant,
  error: StackferryError,
): StackferryError | undefined {
  if (isListedEverywhere(kind, variant)) return undefined;
  if (error.code !== "unauthorized") return error.code === "forbidden" ? error : undefined;
  const right = error instanceof StackError ? error.failure.right : undefined;
  const hint = right === undefined ? error.hint : neededRightHint(right);
  return new StackferryError("forbidden", error.message, { cause: error, hint });
}

export function forbiddenWarning({ name }: Pick<ResourceKind, "name">, error: StackferryError, next = ""): Warning {
  return { code: "forbidden", message: `${pluralOf(name)} cannot be read: ${messageWithHint(error)}${next}` };
}

function likelyMistake({ variant, baseUrl }: StackIdentity): string {
  const { pathname, port, origin } = new URL(baseUrl);
  if (variant === "managed") {
    return "Check the address, organizationId and serviceId, and segments.stack (the deployment's word in the path, such as `obsstack`). If this is a self-hosted stack, set variant: self-hosted and its address, http://HOST:8000.";
  }
  if (pathname !== "/") return `The address has a path and should have none: try ${origin}.`;
  if (port === "8080") return "8080 is the port of the web interface; the API listens on 8000.";
  return "The address of a self-hosted API is http://HOST:8000, without a path. If this is a managed stack, set variant: managed, organizationId and serviceId.";
}

const MAX_NAMED = 10;

export function gapText({ name, singular }: ResourceKind, { hidden, ids, isChanging }: ListGap): string {
  const named =
    ids.length === 0 ? "" : ` (${ids.slice(0, MAX_NAMED).join(", ")}${ids.length > MAX_NAMED ? ", …" : ""})`;
  const counts = `the stack counts ${pluralize(hidden, singular)} more than its list of ${name} shows${named}`;
  if (!isChanging) return counts;
  const changes = `${name} were deleted while their list was read, also when it was read again, so others may be missing`;
  return hidden === 0 ? changes : `${changes}, and ${counts}`;
}

/** Many thousand single reads would take hours on a rate-limited stack. */
export const MAX_SINGLE_READS = 1000;

export function lacksOmittedMember({ listOmits = [] }: ResourceKind, body: JsonObject): boolean {
  return listOmits.some(({ path, when }) => body[path] === undefined && when(body));
}

export function membersOmittedInList(single: JsonValue, listed: JsonValue): string[] {
  return [...new Set(leftOut(single, listed, ""))];
}

function leftOut(single: JsonValue, listed: JsonValue, path: string): string[] {
  if (isJsonArray(single) && isJsonArray(listed)) {
    const items = single
      .slice(0, listed.length)
      .flatMap((item, index) => leftOut(item, listed[index] ?? null, `${path}[]`));
    return single.length > listed.length ? [...items, `${path}[]`] : items;
  }
  if (!isJsonObject(single) || !isJsonObject(listed)) return [];
  return Object.entries(single).flatMap(([name, value]) => {
    const memberPath = path === "" ? name : `${path}.${name}`;
    const listedValue = listed[name];
    if (value === undefined || value === null) return [];
    if (listedValue === undefined) return [memberPath];
    return leftOut(value, listedValue, memberPath);
  });
}
