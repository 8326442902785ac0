import type { JsonObject } from "../../src/core/json.ts";
import type { KindName } from "../../src/core/records/record.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { putRecord, type MemoryStack } from "./memory-stack.ts";
import { callSandbox } from "./read-sandbox.ts";

// Reads and changes the records of a stack as another user would. A memory stack answers at once, a sandbox over HTTP.

type Body = Readonly<Record<string, unknown>>;
type Identified = JsonObject & { readonly id: string };
type Listed = Identified & { readonly name: string };

/** Returns the records of a kind, in the stack's order. */
export function recordsOn(stack: MemoryStack, kind: KindName): Body[];
export function recordsOn(stack: Sandbox, kind: KindName): Promise<Listed[]>;
export function recordsOn(stack: MemoryStack | Sandbox, kind: KindName): Body[] | Promise<Listed[]> {
  if (isInMemory(stack)) return bodiesOf(stack, kind);
  return callSandbox(stack, "GET", kind) as Promise<Listed[]>;
}

/** Returns the record with this name. Throws if there is none; on a sandbox, also if there are several. */
export function recordOn(stack: MemoryStack, kind: KindName, name: string): Identified;
export function recordOn(stack: Sandbox, kind: KindName, name: string): Promise<Identified>;
export function recordOn(stack: MemoryStack | Sandbox, kind: KindName, name: string): Identified | Promise<Identified> {
  if (!isInMemory(stack)) return onlyListed(stack, kind, name);
  const found = bodiesOf(stack, kind).find((body) => body["name"] === name);
  if (found === undefined) throw new Error(`no ${kind} "${name}"`);
  return { ...found, id: String(found["id"]) };
}

async function onlyListed(stack: Sandbox, kind: KindName, name: string): Promise<Identified> {
  const [found, ...others] = (await recordsOn(stack, kind)).filter((record) => record.name === name);
  if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} ${kind} "${name}" or none`);
  return found;
}

/** Changes members of the record with this name; on a memory stack, without a name, of every record of the kind. */
export function changeOn(stack: MemoryStack, kind: KindName, members: JsonObject, name?: string): void;
export function changeOn(stack: Sandbox, kind: KindName, members: JsonObject, name: string): Promise<void>;
export function changeOn(
  stack: MemoryStack | Sandbox,
  kind: KindName,
  members: JsonObject,
  name?: string,
): void | Promise<void> {
  if (!isInMemory(stack)) return changeListed(stack, kind, members, name ?? "");
  for (const body of bodiesOf(stack, kind)) {
    if (name === undefined || body["name"] === name) putRecord(stack, kind, { ...body, ...members });
  }
}

async function changeListed(stack: Sandbox, kind: KindName, members: JsonObject, name: string): Promise<void> {
  const { id, ...body } = await onlyListed(stack, kind, name);
  await callSandbox(stack, "PUT", `${kind}/${id}`, { ...body, ...members });
}

/** Returns the sorted names of the records of a kind. */
export function sortedNamesOn(stack: MemoryStack, kind?: KindName): string[];
export function sortedNamesOn(stack: Sandbox, kind?: KindName): Promise<string[]>;
export function sortedNamesOn(
  stack: MemoryStack | Sandbox,
  kind: KindName = "dashboards",
): string[] | Promise<string[]> {
  const sorted = (records: readonly Body[]): string[] => records.map(({ name }) => String(name)).toSorted();
  return isInMemory(stack) ? sorted(bodiesOf(stack, kind)) : recordsOn(stack, kind).then(sorted);
}

function bodiesOf(stack: MemoryStack, kind: KindName): JsonObject[] {
  return [...(stack.records.get(kind)?.values() ?? [])];
}

function isInMemory(stack: MemoryStack | Sandbox): stack is MemoryStack {
  return "client" in stack;
}
