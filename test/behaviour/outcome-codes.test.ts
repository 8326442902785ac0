import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importInto, importStage, rememberingStage, tileIds, withSecrets } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { interrupt, loseAnswer, memoryStack, refuse } from "../support/memory-stack.ts";
import { journalOf, rollBack, undo } from "../support/resume-into.ts";
import { alert, dashboard, hexId, rawSql, records, source, webhook } from "../support/stack-records.ts";
import { hook, logs, needs, theirHook, theirLogs, usualTarget } from "../support/usual-stacks.ts";

type Body = ReturnType<typeof dashboard>;
type Outcomes = readonly {
  readonly action: string;
  readonly status: string;
  readonly code?: string;
  readonly name: string;
}[];

const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const busy = alert(hexId("a", 32), "Busy", overview, hexId("a", 2));
const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
const textOnly = (text: string): Body => ({
  ...overview,
  tiles: [{ id: "md", name: "Notes", config: { displayType: "markdown", markdown: text } }],
});
const everything = records({ dashboards: [overview], alerts: [busy], ...needs.ours });
const onlyOverview = records({ dashboards: [overview], sources: [logs] });

const failing = (stack: MemoryStack, operation: string, error: () => Error): MemoryStack => {
  stack.intercept = (seen) => {
    if (seen === operation) throw error();
  };
  return stack;
};
const outcomesOf = async (...given: Parameters<typeof importInto>): Promise<Outcomes> =>
  (await importInto(...given)).outcomes;
const fromElsewhere = { source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;
const linked = (number: number, to: number): Body => ({
  ...dashboard(hexId("a", number), `Linked ${number}`, ""),
  tiles: [
    {
      id: `t${number}`,
      name: "T",
      config: { displayType: "table", onClick: { type: "dashboard", target: { mode: "id", id: hexId("a", to) } } },
    },
  ],
});

/** Names of the records that the code is about, and a run that gives it. */
interface Scenario {
  readonly about: string;
  readonly run: () => Promise<Outcomes>;
}

const managedTarget = (): MemoryStack => memoryStack({ dashboards: [], alerts: [], ...needs.theirs }, "managed");
const inChannels = (...channels: Body[]): Body => ({ ...busy, channel: channels[0] ?? null, channels });

/** A target whose server stores dashboards in another form than they were sent in. */
function restating(): MemoryStack {
  const stack = usualTarget();
  const create = stack.client.create.bind(stack.client);
  stack.client.create = async (kind, body, ...more) => {
    const stored: Body = { ...(await create(kind, body, ...more)), tags: ["by the server"] };
    stack.records.get(kind.name)?.set(String(stored["id"]), stored);
    return stored;
  };
  return stack;
}

/** Imports the overview, has somebody edit it on the target, and imports what the source has then. */
async function importedAndEdited(then: Body, onConflict: "skip" | "update"): Promise<Outcomes> {
  const stack = usualTarget();
  const stage = rememberingStage(stack);
  await stage.run(onlyOverview, { onConflict });
  for (const [id, body] of stack.records.get("dashboards") ?? [])
    stack.records.get("dashboards")?.set(id, { ...body, tags: ["edited"] });
  return (await stage.run(records({ dashboards: [then], sources: [logs] }), { onConflict })).outcomes;
}

const imports: Readonly<Record<string, Scenario>> = {
  edited: { about: "Overview", run: () => importedAndEdited(overview, "update") },
  "both-changed": { about: "Overview", run: () => importedAndEdited({ ...overview, tags: ["source"] }, "skip") },
  "unchanged-since-import": {
    about: "Overview",
    run: async () => {
      const stage = rememberingStage(restating());
      await stage.run(onlyOverview);
      return (await stage.run([...onlyOverview])).outcomes;
    },
  },
  journaled: {
    about: "Overview",
    run: async () => {
      const stage = importStage(restating());
      await stage.run(onlyOverview);
      return (await stage.run(onlyOverview)).outcomes;
    },
  },
  "not-kept": {
    about: "Overview",
    run: async () => {
      const stack = usualTarget();
      await importInto(stack, onlyOverview);
      const more = records({ dashboards: [{ ...overview, mood: "calm" }], sources: [logs] });
      const source = { variant: "managed", baseUrl: "http://managed.test" } as const;
      return (await importStage(stack).run(more, { source })).outcomes;
    },
  },
  "secret-other-host": {
    about: "Overview",
    run: () => {
      const archive = records({ dashboards: [textOnly("https://hooks.example/«redacted:webhook-path»")] });
      const there = { "/tiles/0/config/markdown": "https://elsewhere.example/path" };
      const { secrets } = withSecrets(archive, { [`dashboards/${String(overview["id"])}`]: there });
      return outcomesOf(usualTarget(), archive, { secrets });
    },
  },
  "several-channels": {
    about: "Busy",
    run: () => {
      const other = { type: "webhook", webhookId: hexId("a", 3) };
      const alerts = [inChannels({ type: "webhook", webhookId: hexId("a", 2) }, other)];
      const archive = {
        alerts,
        dashboards: [overview],
        sources: [logs],
        webhooks: [hook, webhook(hexId("a", 3), "other")],
      };
      return outcomesOf(managedTarget(), records(archive));
    },
  },
  "email-channel": {
    about: "Busy",
    run: () => {
      const alerts = [inChannels({ type: "email", emailRecipients: ["oncall@example.com"] })];
      return outcomesOf(usualTarget(), records({ alerts, dashboards: [overview], sources: [logs] }));
    },
  },
  "unfit-source": {
    about: "Overview",
    run: () => {
      const config = { displayType: "heatmap", sourceId: hexId("a", 1), select: [{ valueExpression: "Duration" }] };
      const hot = { ...overview, tiles: [{ id: "hot", name: "Hot", config }] };
      return outcomesOf(usualTarget(), records({ dashboards: [hot], sources: [logs] }));
    },
  },
  "unfit-tile": {
    about: "Noted",
    run: () => {
      const notes = textOnly("read this");
      const noted = { ...alert(hexId("a", 33), "Noted", overview, hexId("a", 2)), tileId: "md" };
      return outcomesOf(managedTarget(), records({ alerts: [noted], dashboards: [notes], webhooks: [hook] }));
    },
  },
  "needs-fitting": {
    about: "Overview",
    run: () => outcomesOf(usualTarget(), records({ dashboards: [{ ...overview, tags: ["t".repeat(33)] }] })),
  },
  "left-out": {
    about: "Busy",
    run: () =>
      outcomesOf(usualTarget(), everything, { ...fromElsewhere, transforms: { leaveOut: { alerts: ["B*"] } } }),
  },
  "renamed-alike": {
    about: "Same",
    run: () => {
      const archive = records({ dashboards: [overview, { ...overview, id: hexId("a", 17), name: "Other" }] });
      return outcomesOf(usualTarget(), archive, {
        ...fromElsewhere,
        transforms: { rename: [{ from: "*", to: "Same" }] },
      });
    },
  },
  "would-be-refused": {
    about: "Overview",
    run: () => {
      const stack = usualTarget();
      const errors = [{ path: "tiles.0.w", message: "too wide" }];
      const client = { ...stack.client, validate: async () => ({ valid: false, errors }) };
      return outcomesOf({ ...stack, client }, onlyOverview, { validate: "always" });
    },
  },
  "write-only": {
    about: "another",
    run: () => {
      const hooks = records({ webhooks: [webhook(hexId("e", 9), "another")] });
      return outcomesOf(usualTarget({ "saved-searches": [] }), hooks, { create: ["webhooks"] });
    },
  },
  "create-not-offered": {
    about: "another",
    run: () => {
      const hooks = records({ webhooks: [webhook(hexId("e", 9), "another")] });
      return outcomesOf(usualTarget(), hooks, { create: ["webhooks"] });
    },
  },
  "webhook-service": {
    about: "rota",
    run: () => {
      const hooks = records({ webhooks: [{ ...webhook(hexId("e", 9), "rota"), service: "slack_api" }] });
      return outcomesOf(usualTarget({ "saved-searches": [] }), hooks, { create: ["webhooks"] });
    },
  },
  differs: {
    about: "Logs",
    run: () => {
      const other = records({ sources: [{ ...logs, section: "ours" }] });
      return outcomesOf(usualTarget({ "saved-searches": [] }), other, { create: ["sources"] });
    },
  },
  "lacks-links": {
    about: "Logs",
    run: () => {
      const traces = source(hexId("a", 3), "Traces", hexId("c", 1));
      const linked = [
        { ...logs, traceSourceId: hexId("a", 3) },
        { ...traces, logSourceId: hexId("a", 1) },
      ];
      const there = [theirLogs, { ...source(hexId("b", 3), "Traces", hexId("c", 2)), logSourceId: hexId("b", 1) }];
      const stack = usualTarget({ "saved-searches": [], sources: there });
      return outcomesOf(stack, records({ sources: linked }), { create: ["sources"] });
    },
  },
  "placeholder-unlisted": {
    about: "Overview",
    run: () => {
      const archive = records({ dashboards: [textOnly("password «redacted:assigned-secret»")] });
      return outcomesOf(usualTarget(), archive, { isListed: () => false });
    },
  },
  "secret-context-changed": {
    about: "Overview",
    run: () => {
      const archive = records({ dashboards: [textOnly("password «redacted:assigned-secret»")] });
      const stale = [{ context: "another text", value: "secret" }];
      const secrets = { [`dashboards/${String(overview["id"])}`]: { "/tiles/0/config/markdown": stale } };
      return outcomesOf(usualTarget(), archive, { secrets });
    },
  },
  "dead-reference": {
    about: "Overview",
    run: () => {
      const archive = records({ dashboards: [overview] });
      return outcomesOf(usualTarget(), archive, { whole: new Set(["sources"]) });
    },
  },
  "unshown-tile": {
    about: "Busy",
    run: () => {
      const watching = { ...busy, tileId: hexId("e", 9) };
      const archive = records({ dashboards: [overview], alerts: [watching], ...needs.ours });
      return outcomesOf(usualTarget(), archive);
    },
  },
  "over-limit": {
    about: "Errors",
    run: () => {
      const search = { id: hexId("e", 1), name: "Errors", sourceId: hexId("a", 1), where: "w".repeat(9000) };
      const stack = usualTarget({ "saved-searches": [] });
      const archive = records({ "saved-searches": [search], sources: [logs] });
      return outcomesOf(stack, archive, { create: ["saved-searches"], fitLimits: true });
    },
  },
  "missing-source": { about: "Overview", run: () => outcomesOf(usualTarget({ sources: [] }), onlyOverview) },
  "missing-webhook": { about: "Busy", run: () => outcomesOf(usualTarget({ webhooks: [] }), everything) },
  "missing-connection": {
    about: "Overview",
    run: () => {
      const sql = { ...overview, tiles: [{ id: "t1", name: "SQL", config: rawSql(hexId("c", 9)) }] };
      return outcomesOf(usualTarget(), records({ dashboards: [sql] }));
    },
  },
  "missing-dashboard": {
    about: "Busy",
    run: () => outcomesOf(usualTarget(), everything, { filter: { include: ["Busy"], exclude: [] } }),
  },
  "missing-tile": {
    about: "Busy",
    run: () => {
      const notes = { ...textOnly("theirs"), id: hexId("b", 16), tags: ["theirs"] };
      return outcomesOf(usualTarget({ dashboards: [notes] }), everything);
    },
  },
  "missing-saved-search": {
    about: "Busy",
    run: () => {
      const onSearch = {
        ...busy,
        source: "saved_search",
        dashboardId: null,
        tileId: null,
        savedSearchId: hexId("e", 1),
      };
      return outcomesOf(usualTarget(), records({ alerts: [onSearch], webhooks: [hook] }));
    },
  },
  "ambiguous-source": {
    about: "Overview",
    run: () => outcomesOf(usualTarget({ sources: [theirLogs, { ...theirLogs, id: hexId("b", 3) }] }), onlyOverview),
  },
  "ambiguous-webhook": {
    about: "Busy",
    run: () => outcomesOf(usualTarget({ webhooks: [theirHook, { ...theirHook, id: hexId("b", 3) }] }), everything),
  },
  "ambiguous-dashboard": {
    about: "Overview",
    run: () =>
      outcomesOf(
        usualTarget({ dashboards: [theirs, { ...theirs, id: hexId("b", 17), tags: ["too"] }] }),
        onlyOverview,
        {
          onConflict: "update",
        },
      ),
  },
  "ambiguous-alert": {
    about: "Busy",
    run: () => {
      const there = { ...overview, id: hexId("b", 16), tiles: theirs["tiles"] ?? [] };
      const one = alert(hexId("b", 32), "Busy", there, hexId("b", 2), { threshold: 11 });
      const two = { ...one, id: hexId("b", 33), threshold: 12 };
      const stack = usualTarget({ dashboards: [there], alerts: [one, two] });
      return outcomesOf(stack, everything, { onConflict: "update" });
    },
  },
  "dependency-blocked": { about: "Busy", run: () => outcomesOf(usualTarget({ sources: [] }), everything) },
  "dependency-failed": {
    about: "Busy",
    run: () =>
      outcomesOf(
        failing(usualTarget(), "create dashboards", () => refuse("rejected", "no")),
        everything,
      ),
  },
  "would-delete-alerts": {
    about: "Overview",
    run: () => {
      const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
      const stack = usualTarget({ dashboards: [theirs], alerts: [watching] });
      return outcomesOf(stack, records({ dashboards: [textOnly("x")] }), { onConflict: "update" });
    },
  },
  "no-channel": {
    about: "Busy",
    run: () => {
      const { channel: _channel, channels: _channels, ...bare } = busy;
      const rest = everything.filter(({ kind }) => kind !== "alerts");
      return outcomesOf(usualTarget(), [...rest, ...records({ alerts: [bare] })]);
    },
  },
  "would-lose-hidden": {
    about: "Overview",
    run: () => {
      const stack = usualTarget({ dashboards: [theirs], alerts: [] });
      for (const id of tileIds(theirs)) stack.substitutes.add(String(id));
      return outcomesOf(stack, records({ dashboards: [textOnly("x")] }), { onConflict: "update" });
    },
  },
  "refused-webhook": {
    about: "Busy",
    run: () => {
      const stack = memoryStack({ dashboards: [], alerts: [], sources: [theirLogs] }, "managed");
      failing(stack, "create alerts", () => refuse("rejected", "Webhook not found"));
      return outcomesOf(stack, everything, { mapping: { webhooks: { oncall: hexId("b", 9) } } });
    },
  },
  "refused-connection": {
    about: "Overview",
    run: () => {
      const sql = { ...overview, tiles: [{ id: "t1", name: "SQL", config: rawSql(hexId("c", 9)) }] };
      const stack = failing(usualTarget(), "create dashboards", () => refuse("rejected", "no such connection"));
      const mapping = { connections: { [hexId("c", 9)]: hexId("c", 5) } };
      return outcomesOf(stack, records({ dashboards: [sql] }), { mapping });
    },
  },
  "refused-saved-search": {
    about: "Busy",
    run: () => {
      const nothing = { dashboardId: null, tileId: null };
      const onSearch = { ...busy, ...nothing, source: "saved_search", savedSearchId: hexId("e", 1) };
      const stack = failing(usualTarget(), "create alerts", () => refuse("rejected", "Saved search not found"));
      const mapping = { "saved-searches": { [hexId("e", 1)]: hexId("e", 2) } };
      return outcomesOf(stack, records({ alerts: [onSearch], webhooks: [hook] }), { mapping });
    },
  },
  "hidden-lost": {
    about: "Watching",
    run: () => {
      const unseen = { ...theirs, tiles: [{ id: hexId("d", 9) }] };
      const watching = alert(hexId("b", 32), "Watching", unseen, hexId("b", 2));
      const stack = usualTarget({ dashboards: [theirs], alerts: [watching] });
      stack.interceptAfter = () => stack.records.get("alerts")?.clear();
      return outcomesOf(stack, onlyOverview, { onConflict: "update", acceptHiddenLoss: true });
    },
  },
  "cascade-loss": {
    about: "Watching",
    run: () => {
      const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
      const stack = usualTarget({ dashboards: [theirs], alerts: [watching] });
      stack.interceptAfter = () => stack.records.get("alerts")?.clear();
      return outcomesOf(stack, onlyOverview, { onConflict: "update" });
    },
  },
  "not-checked": {
    about: "Watching",
    run: () => {
      const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
      const stack = unreadableAfter(usualTarget({ dashboards: [theirs], alerts: [watching] }), "update dashboards");
      return outcomesOf(stack, onlyOverview, { onConflict: "update" });
    },
  },
  redacted: {
    about: "Overview",
    run: () => outcomesOf(usualTarget(), records({ dashboards: [textOnly("password: «redacted:jwt»")] })),
  },
  exists: { about: "Overview", run: () => outcomesOf(usualTarget({ dashboards: [theirs] }), onlyOverview) },
  part: {
    about: "Overview",
    run: () => {
      const options = { tile: "Requests", filter: { include: ["Overview"], exclude: [] } };
      return outcomesOf(usualTarget({ dashboards: [{ ...theirs, tiles: [] }] }), onlyOverview, options);
    },
  },
  "merged-parts": {
    about: "Overview",
    run: () => {
      const stack = usualTarget({ dashboards: [{ ...theirs, tiles: [] }] });
      return outcomesOf(stack, onlyOverview, { onConflict: "merge" });
    },
  },
  "finish-links": {
    about: "Linked 17",
    run: async () => {
      const cycle = records({ dashboards: [linked(16, 17), linked(17, 16)] });
      const stack = failing(usualTarget(), "update dashboards", () => new Error("killed"));
      const journal = journalOf();
      await expect(importInto(stack, cycle, {}, journal)).rejects.toThrow("killed");
      stack.intercept = () => {};
      const { plan } = await importInto(stack, cycle, {}, journalOf(journal.appended));
      return plan.items.map(({ action, code, name }) => ({
        action,
        name,
        status: "done",
        ...(code !== undefined && { code }),
      }));
    },
  },
  relink: {
    about: "Linked 17",
    run: async () => {
      const pair = records({ dashboards: [linked(17, 16), overview], sources: [logs] });
      const stack = usualTarget();
      const journal = journalOf();
      await importInto(stack, pair, {}, journal);
      const [gone = ""] = [...(stack.records.get("dashboards") ?? [])].flatMap(([id, { name }]) =>
        name === "Overview" ? [id] : [],
      );
      stack.records.get("dashboards")?.delete(gone);
      const { plan } = await importInto(stack, pair, {}, journalOf(journal.appended));
      return plan.items.map(({ action, code, name }) => ({
        action,
        name,
        status: "done",
        ...(code !== undefined && { code }),
      }));
    },
  },
  matched: { about: "Logs", run: () => outcomesOf(usualTarget(), everything) },
  unmatched: {
    about: "Logs",
    run: () => outcomesOf(usualTarget({ sources: [] }), records({ sources: [logs] })),
  },
  "not-replayed": {
    about: "Pipe",
    run: () =>
      outcomesOf(usualTarget({ pipes: [] }), records({ pipes: [{ id: "p-1", name: "Pipe", state: "Running" }] })),
  },
  rejected: {
    about: "Overview",
    run: () =>
      outcomesOf(
        failing(usualTarget(), "create dashboards", () => refuse("rejected", "no")),
        onlyOverview,
      ),
  },
  "changed-since": {
    about: "Overview",
    run: () => {
      const stack = usualTarget({ dashboards: [theirs] });
      stack.intercept = (operation) => {
        if (operation === "get dashboards")
          stack.records.get("dashboards")?.set(hexId("b", 16), { ...theirs, tags: ["now"] });
      };
      return outcomesOf(stack, onlyOverview, { onConflict: "update" });
    },
  },
  "create-unknown": {
    about: "Overview",
    run: () => {
      const stack = usualTarget();
      stack.intercept = (operation) => {
        if (operation !== "create dashboards") return;
        for (const n of [1, 2])
          stack.records.get("dashboards")?.set(hexId("e", n), { ...theirs, id: hexId("e", n), tags: [String(n)] });
        throw loseAnswer();
      };
      return outcomesOf(stack, onlyOverview);
    },
  },
  doubled: {
    about: "Overview",
    run: () => {
      const stack = usualTarget();
      const theirOwn = { ...theirs, id: hexId("e", 1) };
      stack.interceptAfter = (operation) => {
        if (operation === "create dashboards") stack.records.get("dashboards")?.set(theirOwn.id, theirOwn);
      };
      return outcomesOf(stack, onlyOverview);
    },
  },
  "not-stored": {
    about: "Busy",
    run: () => {
      const two = inChannels(busy["channel"] as Body, { type: "webhook", webhookId: hexId("a", 3) });
      const hooks = [hook, webhook(hexId("a", 3), "second")];
      const theirs = [theirHook, webhook(hexId("b", 3), "second")];
      const stack = usualTarget({ webhooks: theirs });
      stack.keep = (_, { channels: _dropped, ...kept }) => kept;
      const archive = records({ dashboards: [overview], alerts: [two], sources: [logs], webhooks: hooks });
      return outcomesOf(stack, archive);
    },
  },
  "missing-after-write": {
    about: "Overview",
    run: () => {
      const stack = usualTarget();
      const create = stack.client.create.bind(stack.client);
      stack.client.create = async (kind, body, ...more) => {
        const stored = await create(kind, body, ...more);
        stack.records.get(kind.name)?.delete(String(stored["id"]));
        return stored;
      };
      return outcomesOf(stack, onlyOverview);
    },
  },
  "link-failed": {
    about: "Linked 17",
    run: () => {
      const stack = usualTarget();
      stack.intercept = (operation, body) => {
        if (operation === "create dashboards" && body?.["name"] === "Linked 16") throw refuse("rejected", "no");
      };
      return outcomesOf(stack, records({ dashboards: [linked(16, 17), linked(17, 16)] }));
    },
  },
  interrupted: {
    about: "Overview",
    run: () => {
      const stack = usualTarget();
      stack.intercept = (operation) => {
        if (operation !== "create dashboards") return;
        stack.intercept = () => {
          throw interrupt();
        };
        throw loseAnswer();
      };
      return outcomesOf(stack, onlyOverview);
    },
  },
  "not-started": {
    about: "Busy",
    run: () =>
      outcomesOf(
        failing(usualTarget(), "create dashboards", () => refuse("unauthorized", "no")),
        everything,
      ),
  },
};

/** A stack that lists its alerts no more once it has carried that write out. */
function unreadableAfter(stack: MemoryStack, write: string): MemoryStack {
  stack.interceptAfter = (done) => {
    if (done !== write) return;
    stack.intercept = (operation) => {
      if (operation === "list alerts") throw refuse("unauthorized", "no");
    };
  };
  return stack;
}

/** A stack onto which the overview was imported, and the journal of it. */
async function imported(more: Record<string, Body[]> = {}, onConflict: "skip" | "update" = "skip") {
  const stack = usualTarget(more);
  const journal = journalOf();
  await importInto(stack, onlyOverview, { onConflict }, journal);
  const [id = ""] = stack.records.get("dashboards")?.keys() ?? [];
  return { stack, id, entries: journal.appended, body: stack.records.get("dashboards")?.get(id) ?? {} };
}

/** What a mirror writes down that deletes dashboards which link to each other. */
const removedPair = [linked(16, 17), linked(17, 16)].flatMap((body) => {
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
      stack.records.get("alerts")?.set(hexId("b", 40), alert(hexId("b", 40), "Mine", body, hexId("b", 2)));
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
      const failed = failing(stack, "update dashboards", () => refuse("rejected", "no"));
      return rollBack(failed, journal.appended);
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
      const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
      const { stack, entries } = await imported({ dashboards: [theirs], alerts: [watching] }, "update");
      stack.interceptAfter = () => stack.records.get("alerts")?.clear();
      return rollBack(stack, entries);
    },
  },
  "not-checked": {
    about: "Watching",
    run: async () => {
      const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
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
      for (const id of tileIds(body)) stack.substitutes.add(String(id));
      return rollBack(stack, entries);
    },
  },
  "hidden-lost": {
    about: "Overview",
    run: async () => {
      const stack = usualTarget({ dashboards: [theirs] });
      for (const id of tileIds(theirs)) stack.substitutes.add(String(id));
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
