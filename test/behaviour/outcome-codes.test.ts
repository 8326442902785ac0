import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ImportStage, JournalEntry, JsonObject, RunOptions, StackRecord } from "../support/import-stage.ts";
import { importInto, importStage, including, rememberingStage, tileIds, withSecrets } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import {
  answer,
  change,
  drop,
  interrupt,
  killed,
  loseAnswer,
  memoryStack,
  named,
  put,
  refuse,
} from "../support/memory-stack.ts";
import type { Written } from "../support/resume-into.ts";
import { imported, journalOf, removed, rollBack, undo } from "../support/resume-into.ts";
import {
  alert,
  dashboard,
  heatmap,
  hexId,
  opening,
  rawSql,
  records,
  source,
  webhook,
} from "../support/stack-records.ts";
import { elsewhere, hook, logs, needs, theirHook, theirLogs, usualTarget } from "../support/usual-stacks.ts";

type Bodies = Readonly<Record<string, readonly JsonObject[]>>;
type Outcomes = readonly Readonly<{ action: string; status: string; code?: string; name: string }>[];

/** Name of the record that the code is about, and a run that gives it. */
interface Scenario {
  readonly about: string;
  readonly run: () => Promise<Outcomes>;
}

const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const busy = alert(hexId("a", 32), "Busy", overview, hexId("a", 2));
const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
const ofNoTile = { dashboardId: null, tileId: null };
const onSearch = { ...busy, ...ofNoTile, source: "saved_search", savedSearchId: hexId("e", 1) };
const anotherHook = webhook(hexId("e", 9), "another");
const secondHook = webhook(hexId("a", 3), "second");

const withTile = (config: JsonObject): JsonObject => ({ ...overview, tiles: [{ id: "t1", name: "T", config }] });
const textOnly = (markdown: string): JsonObject => withTile({ displayType: "markdown", markdown });
const onSql = withTile(rawSql(hexId("c", 9)));
const assigned = "password «redacted:assigned-secret»";
const search = { id: hexId("e", 1), name: "Errors", sourceId: hexId("a", 1) };
const isThere = { dashboards: [theirs] };
const isWatched = { ...isThere, alerts: [watching] };
/** Two of one name. */
const twins = (body: JsonObject, more: JsonObject = {}): JsonObject[] => [
  body,
  { ...body, id: hexId("b", 3), ...more },
];
/** Logs, and traces that name them. */
const tracing = (letter: "a" | "b", named: JsonObject): JsonObject[] => [
  named,
  { ...source(hexId(letter, 3), "Traces", hexId("c", letter === "a" ? 1 : 2)), logSourceId: hexId(letter, 1) },
];
const inChannels = (...channels: JsonObject[]): JsonObject => ({ ...busy, channel: channels[0] ?? null, channels });
const channelTo = (number: number): JsonObject => ({ type: "webhook", webhookId: hexId("a", number) });
const linked = (number: number, to: number): JsonObject => {
  const tiles = [{ id: `t${number}`, name: "T", config: opening(hexId("a", to)) }];
  return { ...dashboard(hexId("a", number), `Linked ${number}`, ""), tiles };
};

const all: Bodies = { dashboards: [overview], alerts: [busy], ...needs.ours };
/** An archive of one dashboard and its source, and of an alert with all that it needs. */
const boardAs = (body: JsonObject): Bodies => ({ dashboards: [body], sources: [logs] });
const busyAs = (body: JsonObject): Bodies => ({ ...all, alerts: [body] });
const overviewAlone = boardAs(overview);
const twoChannels = { ...busyAs(inChannels(channelTo(2), channelTo(3))), webhooks: [hook, secondHook] };
const linkedPair: Bodies = { dashboards: [linked(16, 17), linked(17, 16)] };
const everything = records(all);
const onlyOverview = records(overviewAlone);

const update = { onConflict: "update" } as const;
const managedTarget = (): MemoryStack => memoryStack({ dashboards: [], alerts: [], ...needs.theirs }, "managed");
/** A target whose API makes sources, webhooks and saved searches too. */
const makesAll = (more: Bodies = {}): MemoryStack => usualTarget({ "saved-searches": [], ...more });

function refusing(operation: string, message = "no", stack = usualTarget()): MemoryStack {
  return failing(stack, operation, () => refuse("rejected", message));
}

function failing(stack: MemoryStack, operation: string, error: () => Error): MemoryStack {
  answer(stack, operation, error);
  return stack;
}

/** A target whose server stores dashboards in another form than they were sent in. */
function restating(): MemoryStack {
  return afterCreate((stack, stored) => {
    const restated = { ...stored, tags: ["by the server"] };
    put(stack, "dashboards", restated);
    return restated;
  });
}

/** A target on which that happens to each record that is made, before the answer. */
function afterCreate(change: (stack: MemoryStack, stored: JsonObject) => JsonObject): MemoryStack {
  const stack = usualTarget();
  const create = stack.client.create.bind(stack.client);
  stack.client.create = async (...sent) => change(stack, await create(...sent));
  return stack;
}

/** A target with an alert on the overview, of which no alert is left after the first write. */
function losingAlerts(more: Bodies = {}): MemoryStack {
  const stack = usualTarget({ ...isWatched, ...more });
  stack.interceptAfter = () => stack.records.get("alerts")?.clear();
  return stack;
}

/** A stack that lists its alerts no more once it has carried that write out. */
function unreadableAfter(stack: MemoryStack, write: string): MemoryStack {
  stack.interceptAfter = (done) => {
    if (done === write) failing(stack, "list alerts", () => refuse("unauthorized", "no"));
  };
  return stack;
}

/** A stack that shows substitutes in place of the tiles of that dashboard. */
function hiding(stack: MemoryStack, body: JsonObject): MemoryStack {
  for (const id of tileIds(body)) stack.substitutes.add(String(id));
  return stack;
}

/** The code is about the record of that name, and comes of that run. */
const by = (about: string, run: () => Promise<Outcomes>): Scenario => ({ about, run });

/** An archive of those bodies is imported once. */
function once(about: string, archive: Bodies, stack = usualTarget(), options: RunOptions = {}): Scenario {
  return by(about, async () => (await importInto(stack, records(archive), options)).outcomes);
}

/** The overview is imported, somebody edits it on the target, and what the source has then is imported. */
function edited(then: JsonObject, onConflict: "skip" | "update"): Scenario {
  const run = async (): Promise<Outcomes> => {
    const stack = usualTarget();
    const stage = rememberingStage(stack);
    await stage.run(onlyOverview, { onConflict });
    change(stack, "dashboards", { tags: ["edited"] });
    return (await stage.run(records(boardAs(then)), { onConflict })).outcomes;
  };
  return by("Overview", run);
}

/** The overview is imported, and then imported as that archive has it. */
function twice(stage: ImportStage, then: readonly StackRecord[]): Scenario {
  const run = async (): Promise<Outcomes> => {
    await stage.run(onlyOverview);
    return (await stage.run(then)).outcomes;
  };
  return by("Overview", run);
}

/** The plan of a second run, as if all of it were done. */
async function plannedAgain(stack: MemoryStack, archive: Bodies, entries: readonly JournalEntry[]): Promise<Outcomes> {
  const { plan } = await importInto(stack, records(archive), {}, journalOf(entries));
  return plan.items.map(({ action, code, name }) => ({ action, name, status: "done", ...(code && { code }) }));
}

const imports: Readonly<Record<string, Scenario>> = {
  edited: edited(overview, "update"),
  "both-changed": edited({ ...overview, tags: ["source"] }, "skip"),
  "unchanged-since-import": twice(rememberingStage(restating()), [...onlyOverview]),
  journaled: twice(importStage(restating()), onlyOverview),
  "not-kept": by("Overview", async () => {
    const stack = usualTarget();
    await importInto(stack, onlyOverview);
    const more = records(boardAs({ ...overview, mood: "calm" }));
    const source = { variant: "managed", baseUrl: "http://managed.test" } as const;
    return (await importInto(stack, more, { source })).outcomes;
  }),
  "secret-other-host": by("Overview", async () => {
    const archive = records({ dashboards: [textOnly("https://hooks.example/«redacted:webhook-path»")] });
    const there = { "/tiles/0/config/markdown": "https://elsewhere.example/path" };
    const { secrets } = withSecrets(archive, { [`dashboards/${String(overview["id"])}`]: there });
    return (await importInto(usualTarget(), archive, { secrets })).outcomes;
  }),
  "several-channels": once("Busy", twoChannels, managedTarget()),
  "email-channel": once("Busy", busyAs(inChannels({ type: "email", emailRecipients: ["oncall@example.com"] }))),
  "unfit-source": once("Overview", boardAs(withTile(heatmap(hexId("a", 1))))),
  "unfit-tile": once("Busy", { ...busyAs({ ...busy, tileId: "t1" }), dashboards: [textOnly("x")] }, managedTarget()),
  "needs-fitting": once("Overview", { dashboards: [{ ...overview, tags: ["t".repeat(33)] }] }),
  "left-out": once("Busy", all, usualTarget(), { ...elsewhere, transforms: { leaveOut: { alerts: ["B*"] } } }),
  "renamed-alike": once("Same", { dashboards: [overview, linked(17, 16)] }, usualTarget(), {
    ...elsewhere,
    transforms: { rename: [{ from: "*", to: "Same" }] },
  }),
  "would-be-refused": by("Overview", async () => {
    const stack = usualTarget();
    const errors = [{ path: "tiles.0.w", message: "too wide" }];
    const client = { ...stack.client, validate: async () => ({ valid: false, errors }) };
    return (await importInto({ ...stack, client }, onlyOverview, { validate: "always" })).outcomes;
  }),
  "write-only": once("another", { webhooks: [anotherHook] }, makesAll(), { create: ["webhooks"] }),
  "create-not-offered": once("another", { webhooks: [anotherHook] }, usualTarget(), { create: ["webhooks"] }),
  "webhook-service": once("another", { webhooks: [{ ...anotherHook, service: "slack_api" }] }, makesAll(), {
    create: ["webhooks"],
  }),
  differs: once("Logs", { sources: [{ ...logs, section: "ours" }] }, makesAll(), { create: ["sources"] }),
  "lacks-links": once(
    "Logs",
    { sources: tracing("a", { ...logs, traceSourceId: hexId("a", 3) }) },
    makesAll({ sources: tracing("b", theirLogs) }),
    { create: ["sources"] },
  ),
  "placeholder-unlisted": once("Overview", boardAs(textOnly(assigned)), usualTarget(), { isListed: () => false }),
  "secret-context-changed": by("Overview", async () => {
    const archive = records(boardAs(textOnly(assigned)));
    const stale = [{ context: "another text", value: "secret" }];
    const secrets = { [`dashboards/${String(overview["id"])}`]: { "/tiles/0/config/markdown": stale } };
    return (await importInto(usualTarget(), archive, { secrets })).outcomes;
  }),
  "dead-reference": once("Overview", { dashboards: [overview] }, usualTarget(), { whole: new Set(["sources"]) }),
  "unshown-tile": once("Busy", busyAs({ ...busy, tileId: hexId("e", 9) })),
  "over-limit": once(
    "Errors",
    { "saved-searches": [{ ...search, where: "w".repeat(9000) }], sources: [logs] },
    makesAll(),
    {
      create: ["saved-searches"],
      fitLimits: true,
    },
  ),
  "missing-source": once("Overview", overviewAlone, usualTarget({ sources: [] })),
  "missing-webhook": once("Busy", all, usualTarget({ webhooks: [] })),
  "missing-connection": once("Overview", { dashboards: [onSql] }),
  "missing-dashboard": once("Busy", all, usualTarget(), { filter: including("Busy") }),
  "missing-tile": once("Busy", all, usualTarget({ dashboards: [{ ...textOnly("theirs"), id: hexId("b", 16) }] })),
  "missing-saved-search": once("Busy", { alerts: [onSearch], webhooks: [hook] }),
  "ambiguous-source": once("Overview", overviewAlone, usualTarget({ sources: twins(theirLogs) })),
  "ambiguous-webhook": once("Busy", all, usualTarget({ webhooks: twins(theirHook) })),
  "ambiguous-dashboard": once(
    "Overview",
    overviewAlone,
    usualTarget({ dashboards: twins(theirs, { tags: ["too"] }) }),
    update,
  ),
  "ambiguous-alert": once(
    "Busy",
    all,
    usualTarget({
      dashboards: [theirs],
      alerts: twins({ ...watching, name: "Busy", threshold: 11 }, { threshold: 12 }),
    }),
    update,
  ),
  "dependency-blocked": once("Busy", all, usualTarget({ sources: [] })),
  "dependency-failed": once("Busy", all, refusing("create dashboards")),
  "would-delete-alerts": once("Overview", boardAs(textOnly("x")), usualTarget(isWatched), update),
  "no-channel": once("Busy", busyAs({ ...busy, channel: undefined, channels: undefined })),
  "would-lose-hidden": once("Overview", boardAs(textOnly("x")), hiding(usualTarget(isThere), theirs), update),
  "refused-webhook": once(
    "Busy",
    all,
    refusing(
      "create alerts",
      "Webhook not found",
      memoryStack({ dashboards: [], alerts: [], sources: [theirLogs] }, "managed"),
    ),
    { mapping: { webhooks: { oncall: hexId("b", 9) } } },
  ),
  "refused-connection": once("Overview", { dashboards: [onSql] }, refusing("create dashboards", "no such connection"), {
    mapping: { connections: { [hexId("c", 9)]: hexId("c", 5) } },
  }),
  "refused-saved-search": once(
    "Busy",
    { alerts: [onSearch], webhooks: [hook] },
    refusing("create alerts", "Saved search not found"),
    { mapping: { "saved-searches": { [hexId("e", 1)]: hexId("e", 2) } } },
  ),
  "hidden-lost": once("Watching", overviewAlone, losingAlerts({ alerts: [{ ...watching, tileId: hexId("d", 9) }] }), {
    ...update,
    acceptHiddenLoss: true,
  }),
  "cascade-loss": once("Watching", overviewAlone, losingAlerts(), update),
  "not-checked": once("Watching", overviewAlone, unreadableAfter(usualTarget(isWatched), "update dashboards"), update),
  redacted: once("Overview", { dashboards: [textOnly("password: «redacted:jwt»")] }),
  exists: once("Overview", overviewAlone, usualTarget(isThere)),
  part: once("Overview", overviewAlone, usualTarget({ dashboards: [{ ...theirs, tiles: [] }] }), {
    tile: "Requests",
    filter: including("Overview"),
  }),
  "merged-parts": once("Overview", overviewAlone, usualTarget({ dashboards: [{ ...theirs, tiles: [] }] }), {
    onConflict: "merge",
  }),
  "finish-links": by("Linked 17", async () => {
    const stack = failing(usualTarget(), "update dashboards", () => new Error("killed"));
    const journal = journalOf();
    await expect(importInto(stack, records(linkedPair), {}, journal)).rejects.toThrow("killed");
    stack.intercept = () => {};
    return plannedAgain(stack, linkedPair, journal.appended);
  }),
  relink: by("Linked 17", async () => {
    const pair = { dashboards: [linked(17, 16), overview], sources: [logs] };
    const stack = usualTarget();
    const journal = journalOf();
    await importInto(stack, records(pair), {}, journal);
    drop(stack, "dashboards", "Overview");
    return plannedAgain(stack, pair, journal.appended);
  }),
  matched: once("Logs", all),
  unmatched: once("Logs", { sources: [logs] }, usualTarget({ sources: [] })),
  "not-replayed": once("Pipe", { pipes: [{ id: "p-1", name: "Pipe", state: "Running" }] }, usualTarget({ pipes: [] })),
  rejected: once("Overview", overviewAlone, refusing("create dashboards")),
  "changed-since": by("Overview", async () => {
    const stack = usualTarget(isThere);
    stack.intercept = (operation) => {
      if (operation === "get dashboards") put(stack, "dashboards", { ...theirs, tags: ["now"] });
    };
    return (await importInto(stack, onlyOverview, update)).outcomes;
  }),
  "create-unknown": by("Overview", async () => {
    const stack = usualTarget();
    stack.intercept = (operation) => {
      if (operation !== "create dashboards") return;
      for (const n of [1, 2]) put(stack, "dashboards", { ...theirs, id: hexId("e", n), tags: [String(n)] });
      throw loseAnswer();
    };
    return (await importInto(stack, onlyOverview)).outcomes;
  }),
  doubled: once(
    "Overview",
    overviewAlone,
    afterCreate((stack, stored) => {
      put(stack, "dashboards", { ...theirs, id: hexId("e", 1) });
      return stored;
    }),
  ),
  "not-stored": by("Busy", async () => {
    const stack = usualTarget({ webhooks: [theirHook, webhook(hexId("b", 3), "second")] });
    stack.keep = (_, { channels: _dropped, ...kept }) => kept;
    return (await importInto(stack, records(twoChannels))).outcomes;
  }),
  "missing-after-write": once(
    "Overview",
    overviewAlone,
    afterCreate((stack, stored) => {
      stack.records.get("dashboards")?.delete(String(stored["id"]));
      return stored;
    }),
  ),
  "link-failed": by("Linked 17", async () => {
    const stack = usualTarget();
    stack.intercept = (operation, body) => {
      if (operation === "create dashboards" && body?.["name"] === "Linked 16") throw refuse("rejected", "no");
    };
    return (await importInto(stack, records(linkedPair))).outcomes;
  }),
  interrupted: by("Overview", async () => {
    const stack = usualTarget();
    stack.intercept = (operation) => {
      if (operation !== "create dashboards") return;
      stack.intercept = () => {
        throw interrupt();
      };
      throw loseAnswer();
    };
    return (await importInto(stack, onlyOverview)).outcomes;
  }),
  "not-started": once(
    "Busy",
    all,
    failing(usualTarget(), "create dashboards", () => refuse("unauthorized", "no")),
  ),
};

/** The overview is imported, onto that target, and that happens to it before the import is rolled back. */
function undone(act: (stack: MemoryStack) => unknown, there?: Bodies, force = false, about = "Overview"): Scenario {
  return by(about, async () => {
    const { stack, entries } = await overviewImported(there);
    act(stack);
    return rollBack(stack, entries, force);
  });
}

const overviewImported = (there: Bodies = {}): Promise<Written> =>
  imported(onlyOverview, usualTarget(there), { onConflict: "dashboards" in there ? "update" : "skip" });

/** The journal of a mirror that deletes two dashboards which link to each other. */
const removedPair = (linkedPair["dashboards"] ?? []).flatMap((body) => removed("dashboards", body));

const rollbacks: Readonly<Record<string, Scenario>> = {
  gone: undone((stack) => stack.records.get("dashboards")?.clear()),
  "put-back": undone((stack) => put(stack, "dashboards", theirs), isThere),
  "changed-since": undone((stack) => change(stack, "dashboards", { tags: ["since"] })),
  "in-use": undone((stack) =>
    put(stack, "alerts", alert(hexId("b", 40), "Mine", named(stack, "dashboards", "Overview"), hexId("b", 2))),
  ),
  "dependency-failed": by("Linked 17", async () => {
    const tiles = [{ id: "t", name: "T", config: { displayType: "table" } }];
    const stack = usualTarget({ dashboards: [{ ...linked(16, 17), id: hexId("b", 16), tiles }] });
    const boards = records({ dashboards: [linked(16, 17), dashboard(hexId("a", 17), "Linked 17", "")] });
    const { entries } = await imported(boards, stack, update);
    return rollBack(refusing("update dashboards", "no", stack), entries);
  }),
  ambiguous: by("Overview", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await killed(stack, "after", /^create/, () => stage.run(onlyOverview));
    put(stack, "dashboards", { ...named(stack, "dashboards", "Overview"), id: hexId("b", 50) });
    return rollBack(stack, stage.history);
  }),
  "later-run": by("Overview", async () => {
    const { stack, entries } = await overviewImported();
    const end = { type: "end", at: entries[0]?.at ?? "", result: "complete" } as const;
    const { id: targetId } = named(stack, "dashboards", "Overview");
    const write = { at: end.at, key: `dashboards/${hexId("a", 16)}`, write: "update", targetId } as const;
    const intent = { ...write, type: "intent", name: "Overview", previous: {}, content: "later" } as const;
    const later = [end, intent, { ...write, type: "done", content: "later" } as const];
    return rollBack(stack, [...entries, ...later], false, [1]);
  }),
  unproven: undone((stack) => change(stack, "dashboards", { createdAt: "2025-01-01T00:00:00.000Z" }), {}, true),
  "link-failed": by("Linked 16", () => rollBack(failing(usualTarget(), "update dashboards", interrupt), removedPair)),
  "finish-links": by("Linked 16", async () => {
    const stack = failing(usualTarget(), "update dashboards", interrupt);
    const { entries } = await undo(stack, removedPair);
    stack.intercept = () => {};
    return rollBack(stack, entries);
  }),
  "cascade-loss": undone(
    (stack) => (stack.interceptAfter = () => stack.records.get("alerts")?.clear()),
    isWatched,
    false,
    "Watching",
  ),
  "not-checked": undone((stack) => unreadableAfter(stack, "update dashboards"), isWatched, false, "Watching"),
  redacted: undone(() => {}, { dashboards: [{ ...theirs, savedQuery: "The password: hunter2hunter2hunter2x9Q" }] }),
  "would-lose-hidden": undone((stack) => hiding(stack, named(stack, "dashboards", "Overview"))),
  "hidden-lost": by("Overview", async () => {
    const stack = hiding(usualTarget(isThere), theirs);
    const { entries } = await imported(onlyOverview, stack, { ...update, acceptHiddenLoss: true });
    stack.substitutes.clear();
    return rollBack(stack, entries);
  }),
  "no-previous": by("Overview", async () => {
    const { stack, entries } = await overviewImported(isThere);
    const without = JSON.parse(
      JSON.stringify(entries, (key: string, value: unknown) => (key === "previous" ? undefined : value)),
    ) as typeof entries;
    return rollBack(stack, without);
  }),
};

/** Codes that only files cause: bad-files.test.ts has the scenarios. */
const OF_FILES: readonly string[] = ["bad-file"];

/** The codes of a table of the document, each with what it is the code of. */
function documented(heading: string): Map<string, string> {
  const text = readFileSync(new URL("../../docs/outcomes-and-exit-codes.md", import.meta.url), "utf8");
  const section = text.slice(text.indexOf(heading));
  const table = /^\| code[^\n]*\| of [\s\S]*?\n\n/m.exec(section)?.[0] ?? "";
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  return new Map(
    rows
      .flatMap(([, codes = "", of = ""]) =>
        [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code = ""]) => [code, of] as const),
      )
      .filter(([code]) => !OF_FILES.includes(code)),
  );
}

describe.each([
  ["an import", "## Outcomes of an import", imports, 63],
  ["a rollback", "## Outcomes of a rollback", rollbacks, 16],
] as const)("the codes of outcomes of %s", (_, heading, scenarios, count) => {
  const codes = documented(heading);

  it("are those of the document, each with a scenario", () => {
    expect(codes.size).toBe(count);
    expect(Object.keys(scenarios).toSorted()).toEqual([...codes.keys()].toSorted());
  });

  it.each([...codes])("%s (%s)", async (code, of) => {
    const scenario = scenarios[code];
    const outcomes = (await scenario?.run()) ?? [];
    const outcome = outcomes.find(({ name }) => name === scenario?.about);
    const said =
      { blocked: outcome?.action, skip: outcome?.action, update: outcome?.action, unchanged: outcome?.action }[of] ??
      outcome?.status;
    expect([outcome?.code, said]).toEqual([code, of]);
  });
});

it("gives no code to what was simply done", async () => {
  const { outcomes } = await importInto(usualTarget(), everything);
  expect(outcomes.filter(({ action }) => action === "create")).toHaveLength(2);
  for (const { action, status, code } of outcomes) {
    expect([status, code]).toEqual(["done", action === "create" ? undefined : "matched"]);
  }
});
