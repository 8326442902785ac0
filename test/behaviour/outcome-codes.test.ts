import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ImportStage, JournalEntry, RunOptions, StackRecord } from "../support/import-stage.ts";
import { importInto, importStage, rememberingStage, tileIds, withSecrets } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { interrupt, loseAnswer, memoryStack, refuse, change, put } from "../support/memory-stack.ts";
import { journalOf, rollBack, undo } from "../support/resume-into.ts";
import { alert, dashboard, hexId, rawSql, records, source, webhook } from "../support/stack-records.ts";
import { hook, logs, needs, theirHook, theirLogs, usualTarget } from "../support/usual-stacks.ts";

type Body = ReturnType<typeof dashboard>;
type Bodies = Readonly<Record<string, readonly Body[]>>;
type Outcomes = readonly {
  readonly action: string;
  readonly status: string;
  readonly code?: string;
  readonly name: string;
}[];

/** Name of the record that the code is about, and a run that gives it. */
interface Scenario {
  readonly about: string;
  readonly run: () => Promise<Outcomes>;
}

const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const busy = alert(hexId("a", 32), "Busy", overview, hexId("a", 2));
const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
const onSearch = {
  ...busy,
  source: "saved_search",
  dashboardId: null,
  tileId: null,
  savedSearchId: hexId("e", 1),
};
const anotherHook = webhook(hexId("e", 9), "another");
const secondHook = webhook(hexId("a", 3), "second");

const withTile = (config: Body): Body => ({ ...overview, tiles: [{ id: "t1", name: "T", config }] });
const textOnly = (text: string): Body => ({
  ...overview,
  tiles: [{ id: "md", name: "Notes", config: { displayType: "markdown", markdown: text } }],
});
const onSql = withTile(rawSql(hexId("c", 9)));
const inChannels = (...channels: Body[]): Body => ({ ...busy, channel: channels[0] ?? null, channels });
const ourChannel = { type: "webhook", webhookId: hexId("a", 2) };
const secondChannel = { type: "webhook", webhookId: hexId("a", 3) };
const linked = (number: number, to: number): Body => {
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId("a", to) } };
  const tiles = [{ id: `t${number}`, name: "T", config: { displayType: "table", onClick } }];
  return { ...dashboard(hexId("a", number), `Linked ${number}`, ""), tiles };
};

const all: Bodies = { dashboards: [overview], alerts: [busy], ...needs.ours };
const overviewAlone: Bodies = { dashboards: [overview], sources: [logs] };
const linkedPair: Bodies = { dashboards: [linked(16, 17), linked(17, 16)] };
const everything = records(all);
const onlyOverview = records(overviewAlone);

const update = { onConflict: "update" } as const;
const fromElsewhere = { source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;

const managedTarget = (): MemoryStack => memoryStack({ dashboards: [], alerts: [], ...needs.theirs }, "managed");
/** A target whose API makes sources, webhooks and saved searches too. */
const makesAll = (more: Bodies = {}): MemoryStack => usualTarget({ "saved-searches": [], ...more });

function refusing(operation: string, message = "no", stack = usualTarget()): MemoryStack {
  return failing(stack, operation, () => refuse("rejected", message));
}

function failing(stack: MemoryStack, operation: string, error: () => Error): MemoryStack {
  stack.intercept = (seen) => {
    if (seen === operation) throw error();
  };
  return stack;
}

/** A target whose server stores dashboards in another form than they were sent in. */
function restating(): MemoryStack {
  return afterCreate((stack, stored) => {
    const restated = { ...stored, tags: ["by the server"] };
    stack.records.get("dashboards")?.set(String(stored["id"]), restated);
    return restated;
  });
}

/** A target on which that happens to each record that is made, before the answer. */
function afterCreate(change: (stack: MemoryStack, stored: Body) => Body): MemoryStack {
  const stack = usualTarget();
  const create = stack.client.create.bind(stack.client);
  stack.client.create = async (...sent) => change(stack, await create(...sent));
  return stack;
}

/** A target with an alert on the overview, of which no alert is left after the first write. */
function losingAlerts(more: Bodies = {}): MemoryStack {
  const stack = usualTarget({ dashboards: [theirs], alerts: [watching], ...more });
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
function hiding(stack: MemoryStack, body: Body): MemoryStack {
  for (const id of tileIds(body)) stack.substitutes.add(String(id));
  return stack;
}

/** An archive of those bodies is imported once. */
function once(about: string, archive: Bodies, stack = usualTarget(), options: RunOptions = {}): Scenario {
  return { about, run: async () => (await importInto(stack, records(archive), options)).outcomes };
}

/** The overview is imported, somebody edits it on the target, and what the source has then is imported. */
function edited(then: Body, onConflict: "skip" | "update"): Scenario {
  const run = async (): Promise<Outcomes> => {
    const stack = usualTarget();
    const stage = rememberingStage(stack);
    await stage.run(onlyOverview, { onConflict });
    change(stack, "dashboards", { tags: ["edited"] });
    return (await stage.run(records({ dashboards: [then], sources: [logs] }), { onConflict })).outcomes;
  };
  return { about: "Overview", run };
}

/** The overview is imported, and then imported as that archive has it. */
function twice(stage: ImportStage, then: readonly StackRecord[]): Scenario {
  const run = async (): Promise<Outcomes> => {
    await stage.run(onlyOverview);
    return (await stage.run(then)).outcomes;
  };
  return { about: "Overview", run };
}

/** What a second run plans, as if all of it were done. */
async function plannedAgain(stack: MemoryStack, archive: Bodies, entries: readonly JournalEntry[]): Promise<Outcomes> {
  const { plan } = await importInto(stack, records(archive), {}, journalOf(entries));
  return plan.items.map(({ action, code, name }) => ({ action, name, status: "done", ...(code && { code }) }));
}

const imports: Readonly<Record<string, Scenario>> = {
  edited: edited(overview, "update"),
  "both-changed": edited({ ...overview, tags: ["source"] }, "skip"),
  "unchanged-since-import": twice(rememberingStage(restating()), [...onlyOverview]),
  journaled: twice(importStage(restating()), onlyOverview),
  "not-kept": {
    about: "Overview",
    run: async () => {
      const stack = usualTarget();
      await importInto(stack, onlyOverview);
      const more = records({ ...overviewAlone, dashboards: [{ ...overview, mood: "calm" }] });
      const source = { variant: "managed", baseUrl: "http://managed.test" } as const;
      return (await importInto(stack, more, { source })).outcomes;
    },
  },
  "secret-other-host": {
    about: "Overview",
    run: async () => {
      const archive = records({ dashboards: [textOnly("https://hooks.example/«redacted:webhook-path»")] });
      const there = { "/tiles/0/config/markdown": "https://elsewhere.example/path" };
      const { secrets } = withSecrets(archive, { [`dashboards/${String(overview["id"])}`]: there });
      return (await importInto(usualTarget(), archive, { secrets })).outcomes;
    },
  },
  "several-channels": once(
    "Busy",
    { ...all, alerts: [inChannels(ourChannel, secondChannel)], webhooks: [hook, secondHook] },
    managedTarget(),
  ),
  "email-channel": once("Busy", {
    ...overviewAlone,
    alerts: [inChannels({ type: "email", emailRecipients: ["oncall@example.com"] })],
  }),
  "unfit-source": once("Overview", {
    ...overviewAlone,
    dashboards: [
      withTile({ displayType: "heatmap", sourceId: hexId("a", 1), select: [{ valueExpression: "Duration" }] }),
    ],
  }),
  "unfit-tile": once(
    "Busy",
    { dashboards: [textOnly("read this")], alerts: [{ ...busy, tileId: "md" }], webhooks: [hook] },
    managedTarget(),
  ),
  "needs-fitting": once("Overview", { dashboards: [{ ...overview, tags: ["t".repeat(33)] }] }),
  "left-out": once("Busy", all, usualTarget(), { ...fromElsewhere, transforms: { leaveOut: { alerts: ["B*"] } } }),
  "renamed-alike": once(
    "Same",
    { dashboards: [overview, { ...overview, id: hexId("a", 17), name: "Other" }] },
    usualTarget(),
    { ...fromElsewhere, transforms: { rename: [{ from: "*", to: "Same" }] } },
  ),
  "would-be-refused": {
    about: "Overview",
    run: async () => {
      const stack = usualTarget();
      const errors = [{ path: "tiles.0.w", message: "too wide" }];
      const client = { ...stack.client, validate: async () => ({ valid: false, errors }) };
      return (await importInto({ ...stack, client }, onlyOverview, { validate: "always" })).outcomes;
    },
  },
  "write-only": once("another", { webhooks: [anotherHook] }, makesAll(), { create: ["webhooks"] }),
  "create-not-offered": once("another", { webhooks: [anotherHook] }, usualTarget(), { create: ["webhooks"] }),
  "webhook-service": once("another", { webhooks: [{ ...anotherHook, service: "slack_api" }] }, makesAll(), {
    create: ["webhooks"],
  }),
  differs: once("Logs", { sources: [{ ...logs, section: "ours" }] }, makesAll(), { create: ["sources"] }),
  "lacks-links": once(
    "Logs",
    {
      sources: [
        { ...logs, traceSourceId: hexId("a", 3) },
        { ...source(hexId("a", 3), "Traces", hexId("c", 1)), logSourceId: hexId("a", 1) },
      ],
    },
    makesAll({
      sources: [theirLogs, { ...source(hexId("b", 3), "Traces", hexId("c", 2)), logSourceId: hexId("b", 1) }],
    }),
    { create: ["sources"] },
  ),
  "placeholder-unlisted": once(
    "Overview",
    { dashboards: [textOnly("password «redacted:assigned-secret»")] },
    usualTarget(),
    { isListed: () => false },
  ),
  "secret-context-changed": {
    about: "Overview",
    run: async () => {
      const archive = records({ dashboards: [textOnly("password «redacted:assigned-secret»")] });
      const stale = [{ context: "another text", value: "secret" }];
      const secrets = { [`dashboards/${String(overview["id"])}`]: { "/tiles/0/config/markdown": stale } };
      return (await importInto(usualTarget(), archive, { secrets })).outcomes;
    },
  },
  "dead-reference": once("Overview", { dashboards: [overview] }, usualTarget(), { whole: new Set(["sources"]) }),
  "unshown-tile": once("Busy", { ...all, alerts: [{ ...busy, tileId: hexId("e", 9) }] }),
  "over-limit": once(
    "Errors",
    {
      "saved-searches": [{ id: hexId("e", 1), name: "Errors", sourceId: hexId("a", 1), where: "w".repeat(9000) }],
      sources: [logs],
    },
    makesAll(),
    { create: ["saved-searches"], fitLimits: true },
  ),
  "missing-source": once("Overview", overviewAlone, usualTarget({ sources: [] })),
  "missing-webhook": once("Busy", all, usualTarget({ webhooks: [] })),
  "missing-connection": once("Overview", { dashboards: [onSql] }),
  "missing-dashboard": once("Busy", all, usualTarget(), { filter: { include: ["Busy"], exclude: [] } }),
  "missing-tile": once("Busy", all, usualTarget({ dashboards: [{ ...textOnly("theirs"), id: hexId("b", 16) }] })),
  "missing-saved-search": once("Busy", { alerts: [onSearch], webhooks: [hook] }),
  "ambiguous-source": once(
    "Overview",
    overviewAlone,
    usualTarget({ sources: [theirLogs, { ...theirLogs, id: hexId("b", 3) }] }),
  ),
  "ambiguous-webhook": once("Busy", all, usualTarget({ webhooks: [theirHook, { ...theirHook, id: hexId("b", 3) }] })),
  "ambiguous-dashboard": once(
    "Overview",
    overviewAlone,
    usualTarget({ dashboards: [theirs, { ...theirs, id: hexId("b", 17), tags: ["too"] }] }),
    update,
  ),
  "ambiguous-alert": once(
    "Busy",
    all,
    usualTarget({
      dashboards: [theirs],
      alerts: [
        { ...watching, name: "Busy", threshold: 11 },
        { ...watching, name: "Busy", threshold: 12, id: hexId("b", 33) },
      ],
    }),
    update,
  ),
  "dependency-blocked": once("Busy", all, usualTarget({ sources: [] })),
  "dependency-failed": once("Busy", all, refusing("create dashboards")),
  "would-delete-alerts": once(
    "Overview",
    { dashboards: [textOnly("x")] },
    usualTarget({ dashboards: [theirs], alerts: [watching] }),
    update,
  ),
  "no-channel": once("Busy", { ...all, alerts: [{ ...busy, channel: undefined, channels: undefined }] }),
  "would-lose-hidden": once(
    "Overview",
    { dashboards: [textOnly("x")] },
    hiding(usualTarget({ dashboards: [theirs] }), theirs),
    update,
  ),
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
  "not-checked": once(
    "Watching",
    overviewAlone,
    unreadableAfter(usualTarget({ dashboards: [theirs], alerts: [watching] }), "update dashboards"),
    update,
  ),
  redacted: once("Overview", { dashboards: [textOnly("password: «redacted:jwt»")] }),
  exists: once("Overview", overviewAlone, usualTarget({ dashboards: [theirs] })),
  part: once("Overview", overviewAlone, usualTarget({ dashboards: [{ ...theirs, tiles: [] }] }), {
    tile: "Requests",
    filter: { include: ["Overview"], exclude: [] },
  }),
  "merged-parts": once("Overview", overviewAlone, usualTarget({ dashboards: [{ ...theirs, tiles: [] }] }), {
    onConflict: "merge",
  }),
  "finish-links": {
    about: "Linked 17",
    run: async () => {
      const stack = failing(usualTarget(), "update dashboards", () => new Error("killed"));
      const journal = journalOf();
      await expect(importInto(stack, records(linkedPair), {}, journal)).rejects.toThrow("killed");
      stack.intercept = () => {};
      return plannedAgain(stack, linkedPair, journal.appended);
    },
  },
  relink: {
    about: "Linked 17",
    run: async () => {
      const pair = { dashboards: [linked(17, 16), overview], sources: [logs] };
      const stack = usualTarget();
      const journal = journalOf();
      await importInto(stack, records(pair), {}, journal);
      for (const [id, { name }] of stack.records.get("dashboards") ?? [])
        if (name === "Overview") stack.records.get("dashboards")?.delete(id);
      return plannedAgain(stack, pair, journal.appended);
    },
  },
  matched: once("Logs", all),
  unmatched: once("Logs", { sources: [logs] }, usualTarget({ sources: [] })),
  "not-replayed": once("Pipe", { pipes: [{ id: "p-1", name: "Pipe", state: "Running" }] }, usualTarget({ pipes: [] })),
  rejected: once("Overview", overviewAlone, refusing("create dashboards")),
  "changed-since": {
    about: "Overview",
    run: async () => {
      const stack = usualTarget({ dashboards: [theirs] });
      stack.intercept = (operation) => {
        if (operation === "get dashboards")
          stack.records.get("dashboards")?.set(hexId("b", 16), { ...theirs, tags: ["now"] });
      };
      return (await importInto(stack, onlyOverview, update)).outcomes;
    },
  },
  "create-unknown": {
    about: "Overview",
    run: async () => {
      const stack = usualTarget();
      stack.intercept = (operation) => {
        if (operation !== "create dashboards") return;
        for (const n of [1, 2])
          stack.records.get("dashboards")?.set(hexId("e", n), { ...theirs, id: hexId("e", n), tags: [String(n)] });
        throw loseAnswer();
      };
      return (await importInto(stack, onlyOverview)).outcomes;
    },
  },
  doubled: once(
    "Overview",
    overviewAlone,
    afterCreate((stack, stored) => {
      stack.records.get("dashboards")?.set(hexId("e", 1), { ...theirs, id: hexId("e", 1) });
      return stored;
    }),
  ),
  "not-stored": {
    about: "Busy",
    run: async () => {
      const stack = usualTarget({ webhooks: [theirHook, webhook(hexId("b", 3), "second")] });
      stack.keep = (_, { channels: _dropped, ...kept }) => kept;
      const alerts = [inChannels(ourChannel, secondChannel)];
      return (await importInto(stack, records({ ...all, alerts, webhooks: [hook, secondHook] }))).outcomes;
    },
  },
  "missing-after-write": once(
    "Overview",
    overviewAlone,
    afterCreate((stack, stored) => {
      stack.records.get("dashboards")?.delete(String(stored["id"]));
      return stored;
    }),
  ),
  "link-failed": {
    about: "Linked 17",
    run: async () => {
      const stack = usualTarget();
      stack.intercept = (operation, body) => {
        if (operation === "create dashboards" && body?.["name"] === "Linked 16") throw refuse("rejected", "no");
      };
      return (await importInto(stack, records(linkedPair))).outcomes;
    },
  },
  interrupted: {
    about: "Overview",
    run: async () => {
      const stack = usualTarget();
      stack.intercept = (operation) => {
        if (operation !== "create dashboards") return;
        stack.intercept = () => {
          throw interrupt();
        };
        throw loseAnswer();
      };
      return (await importInto(stack, onlyOverview)).outcomes;
    },
  },
  "not-started": once(
    "Busy",
    all,
    failing(usualTarget(), "create dashboards", () => refuse("unauthorized", "no")),
  ),
};

/** A stack onto which the overview was imported, and the journal of it. */
async function imported(more: Record<string, Body[]> = {}, onConflict: "skip" | "update" = "skip") {
  const stack = usualTarget(more);
  const journal = journalOf();
  await importInto(stack, onlyOverview, { onConflict }, journal);
  const [id = ""] = stack.records.get("dashboards")?.keys() ?? [];
  return { stack, id, entries: journal.appended, body: stack.records.get("dashboards")?.get(id) ?? {} };
}

/** What a mirror writes down that deletes dashboards which link to each other. */
const removedPair = (linkedPair["dashboards"] ?? []).flatMap((body) => {
  const id = String(body["id"]);
  const write = {
    at: "2026-01-01T00:00:00.000Z",
    key: `dashboards/${id}`,
    write: "remove",
    targetId: id,
  } as const;
  const intent = { type: "intent", name: String(body["name"]), previous: body, ...write } as const;
  return [intent, { type: "done", content: "", ...write } as const];
});

const rollbacks: Readonly<Record<string, Scenario>> = {
  gone: {
    about: "Overview",
    run: async () => {
      const { stack, id, entries } = await imported();
      stack.records.get("dashboards")?.delete(id);
      return rollBack(stack, entries);
    },
  },
  "put-back": {
    about: "Overview",
    run: async () => {
      const { stack, id, entries } = await imported({ dashboards: [theirs] }, "update");
      stack.records.get("dashboards")?.set(id, theirs);
      return rollBack(stack, entries);
    },
  },
  "changed-since": {
    about: "Overview",
    run: async () => {
      const { stack, id, entries, body } = await imported();
      stack.records.get("dashboards")?.set(id, { ...body, tags: ["since"] });
      return rollBack(stack, entries);
    },
  },
  "in-use": {
    about: "Overview",
    run: async () => {
      const { stack, entries, body } = await imported();
      put(stack, "alerts", alert(hexId("b", 40), "Mine", body, hexId("b", 2)));
      return rollBack(stack, entries);
    },
  },
  "dependency-failed": {
    about: "Linked 17",
    run: async () => {
      const there = {
        ...linked(16, 17),
        id: hexId("b", 16),
        tiles: [{ id: "t", name: "T", config: { displayType: "table" } }],
      };
      const stack = usualTarget({ dashboards: [there] });
      const journal = journalOf();
      const boards = [linked(16, 17), dashboard(hexId("a", 17), "Linked 17", "")];
      await importInto(stack, records({ dashboards: boards }), { onConflict: "update" }, journal);
      return rollBack(refusing("update dashboards", "no", stack), journal.appended);
    },
  },
  ambiguous: {
    about: "Overview",
    run: async () => {
      const stack = usualTarget();
      const journal = journalOf();
      stack.interceptAfter = () => {
        throw new Error("killed");
      };
      await expect(importInto(stack, onlyOverview, {}, journal)).rejects.toThrow("killed");
      const [body = {}] = stack.records.get("dashboards")?.values() ?? [];
      stack.records.get("dashboards")?.set(hexId("b", 50), { ...body, id: hexId("b", 50) });
      return rollBack(stack, journal.appended);
    },
  },
  "later-run": {
    about: "Overview",
    run: async () => {
      const { stack, entries, id } = await imported();
      const end = { type: "end", at: entries[0]?.at ?? "", result: "complete" } as const;
      const write = {
        at: end.at,
        key: `dashboards/${overview["id"] as string}`,
        write: "update",
        targetId: id,
      } as const;
      const intent = { ...write, type: "intent", name: "Overview", previous: {}, content: "later" } as const;
      const later = [end, intent, { ...write, type: "done", content: "later" } as const];
      return rollBack(stack, [...entries, ...later], false, [1]);
    },
  },
  unproven: {
    about: "Overview",
    run: async () => {
      const { stack, entries, id, body } = await imported();
      stack.records.get("dashboards")?.set(id, { ...body, createdAt: "2025-01-01T00:00:00.000Z" });
      return rollBack(stack, entries, true);
    },
  },
  "link-failed": {
    about: "Linked 16",
    run: () => rollBack(failing(usualTarget(), "update dashboards", interrupt), removedPair),
  },
  "finish-links": {
    about: "Linked 16",
    run: async () => {
      const stack = failing(usualTarget(), "update dashboards", interrupt);
      const { entries } = await undo(stack, removedPair);
      stack.intercept = () => {};
      return rollBack(stack, entries);
    },
  },
  "cascade-loss": {
    about: "Watching",
    run: async () => {
      const { stack, entries } = await imported({ dashboards: [theirs], alerts: [watching] }, "update");
      stack.interceptAfter = () => stack.records.get("alerts")?.clear();
      return rollBack(stack, entries);
    },
  },
  "not-checked": {
    about: "Watching",
    run: async () => {
      const { stack, entries } = await imported({ dashboards: [theirs], alerts: [watching] }, "update");
      return rollBack(unreadableAfter(stack, "update dashboards"), entries);
    },
  },
  redacted: {
    about: "Overview",
    run: async () => {
      const said = { ...theirs, savedQuery: "The password: hunter2hunter2hunter2x9Q" };
      const { stack, entries } = await imported({ dashboards: [said] }, "update");
      return rollBack(stack, entries);
    },
  },
  "would-lose-hidden": {
    about: "Overview",
    run: async () => {
      const { stack, entries, body } = await imported();
      return rollBack(hiding(stack, body), entries);
    },
  },
  "hidden-lost": {
    about: "Overview",
    run: async () => {
      const stack = hiding(usualTarget({ dashboards: [theirs] }), theirs);
      const journal = journalOf();
      const accepted = { onConflict: "update", acceptHiddenLoss: true } as const;
      await importInto(stack, onlyOverview, accepted, journal);
      stack.substitutes.clear();
      return rollBack(stack, journal.appended);
    },
  },
  "no-previous": {
    about: "Overview",
    run: async () => {
      const { stack, entries } = await imported({ dashboards: [theirs] }, "update");
      const without = JSON.parse(
        JSON.stringify(entries, (key: string, value: unknown) => (key === "previous" ? undefined : value)),
      ) as typeof entries;
      return rollBack(stack, without);
    },
  },
};

/** What comes of files alone: bad-files.test.ts has its scenarios. */
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
