import { differencesOf, isObject, isSame, memberAt, wrongMembers } from "./compare.ts";
import type { Answer } from "./call-stack.ts";
import { ABSENT, isEcho, type Echo, type Json, type Rule, type Step } from "./rule.ts";
import type { World } from "./world.ts";

interface Request {
  readonly request: string;
}

const READABLE = /^(?:dashboards|alerts|sources|saved-searches|connections)$/;
const KIND = /^(?:POST|PUT) (dashboards|alerts|sources|webhooks|saved-searches|connections)(?:\/@\w+)?$/;

/** Tells whether the kind has a route for a single record. */
export function isReadable(kind: string): boolean {
  return READABLE.test(kind);
}

/** Returns what does not hold on the stack. Removes the records that the rule created. */
export async function tryRule(world: World, rule: Rule & Request): Promise<string[]> {
  const mark = world.mark();
  try {
    for (const [name, kind, body] of rule.given ?? []) {
      const { status, words } = await world.write("POST", kind, body, name);
      if (status !== 200) return [`given ${name} cannot be made: ${status} ${words}`];
    }
    for (const step of [rule, ...(rule.after ?? [])]) {
      const request = step.request ?? rule.request;
      const wrong = await tryStep(world, { ...step, request });
      if (wrong.length > 0) return wrong.map((each) => `${request}: ${each}`);
    }
    return rule.echo === "kept" ? await tryEcho(world, rule) : [];
  } finally {
    await world.clear(mark);
  }
}

async function tryStep(world: World, step: Step & Request): Promise<string[]> {
  const [method = "", path = ""] = step.request.split(" ");
  const sent = step.body === undefined ? undefined : await bodyOf(world, step.body);
  const name = step.as ?? nameIn(path) ?? "it";
  const answer = await world.write(method, String(world.resolve(path)), sent, name);
  const status = step.status ?? (step.refused === undefined ? 200 : 400);
  if (answer.status !== status) return [`answers ${answer.status} ${answer.words.slice(0, 300)}, not ${status}`];
  const refused = step.refused === undefined ? undefined : String(world.resolve(step.refused));
  // It is not published with which messages a managed stack refuses.
  if (refused !== undefined && world.variant === "self-hosted" && answer.words !== refused)
    return [`says "${answer.words}", not "${refused}"`];
  const expected = resolvedMembers(world, step.members ?? {});
  const isWrite = KIND.test(step.request) && answer.status === 200 && sent !== undefined;
  const differences = isWrite ? differencesOf(world.resolve(sent), answer.content) : {};
  const wrong = [
    ...wrongMembers(expected, answer.content, differences),
    ...(step.listed === undefined ? [] : tryListed(world, step.listed, answer.content)),
  ];
  return wrong.length === 0 && isWrite ? tryGet(world, step, answer) : wrong;
}

/** Expects that a GET shows what the response to the write showed. */
async function tryGet({ call }: World, { request }: Request, { content }: Answer): Promise<string[]> {
  const kind = KIND.exec(request)?.[1] ?? "";
  if (!isReadable(kind)) return [];
  const read = await call("GET", `${kind}/${String(memberAt(content, "id"))}`);
  return Object.entries(differencesOf(content, read.content)).map(([path]) => `GET shows another ${path}`);
}

function tryListed(world: World, name: string, content: Json): string[] {
  const record = world.record(name);
  const records = memberAt(content, "records");
  const listed =
    Array.isArray(records) && records.find((each: Json) => memberAt(each, "id") === memberAt(record, "id"));
  return listed && isSame(listed, record) ? [] : [`the list does not show ${name} as its GET does`];
}

async function tryEcho(world: World, { request, as = "it" }: Rule & Request): Promise<string[]> {
  const kind = KIND.exec(request)?.[1] ?? "";
  const path = `${kind}/${String(world.resolve(`@${as}`))}`;
  const before = await world.call("GET", path);
  const put = await world.call("PUT", path, sendable(world, before.content));
  if (put.status !== 200) return [`its own GET body is refused: ${put.status} ${put.words}`];
  const [one, other] = [before.content, put.content].map((content) => ({
    ...(isObject(content) && content),
    updatedAt: "",
  }));
  return isSame(one, other) ? [] : ["its own GET body changes it"];
}

/** Returns the body to send. For an echo, that is the response of the record's GET with the changes. */
async function bodyOf(world: World, body: Json | Echo): Promise<Json> {
  if (!isEcho(body)) return body;
  const record = world.record(body.echoOf);
  const kind = isObject(record) ? kindOf(record) : "";
  const { content } = await world.call("GET", `${kind}/${String(memberAt(record, "id"))}`);
  const changed = sendable(world, content);
  for (const [path, value] of Object.entries(body.with)) change(changed, path.split("."), value);
  return changed;
}

/**
 * Removes what the gateway of managed stacks refuses: the id, and the empty expression of a count, which its responses
 * contain.
 */
function sendable({ variant }: World, content: Json): Json {
  if (variant === "self-hosted" || !isObject(content)) return structuredClone(content);
  const { id: _id, ...copy } = content;
  return JSON.parse(JSON.stringify(copy), (member, value: unknown) =>
    member === "valueExpression" && value === "" ? undefined : value,
  ) as Json;
}

function kindOf(record: Record<string, Json>): string {
  if ("tiles" in record) return "dashboards";
  if ("threshold" in record) return "alerts";
  if ("host" in record) return "connections";
  return "from" in record ? "sources" : "saved-searches";
}

function change(value: Json, path: readonly string[], content: Json | typeof ABSENT): void {
  const [member = "", ...rest] = path;
  const target = value as Record<string, Json>;
  if (rest.length > 0) change(target[member] ?? {}, rest, content);
  else if (content !== ABSENT) target[member] = content;
  else if (Array.isArray(value)) value.splice(Number(member), 1);
  else delete target[member];
}

function resolvedMembers(world: World, members: NonNullable<Step["members"]>): NonNullable<Step["members"]> {
  // A managed stack does not tell the total number of records.
  const isUnsaid = (path: string): boolean => world.variant === "managed" && /^(?:meta|total)\b/.test(path);
  const checkable = Object.entries(members).filter(([path]) => !isUnsaid(path));
  return Object.fromEntries(
    checkable.map(([path, value]) => [path, typeof value === "symbol" ? value : world.resolve(value)]),
  );
}

function nameIn(path: string): string | undefined {
  return /\/@(\w+)$/.exec(path)?.[1];
}
