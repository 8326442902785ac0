import { expect, it } from "vitest";
import { changeOn, recordsOn } from "../../support/on-stack.ts";
import {
  importInto,
  importStage,
  including,
  withSecrets,
  type JsonObject,
  type RunOptions,
} from "../../support/import-stage.ts";
import {
  interruptionError,
  lostAnswerError,
  memoryStack,
  putRecord,
  refusalError,
  runKilled,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import {
  alert,
  heatmap,
  hexId,
  linkingTable,
  rawSql,
  records,
  tileWith,
  webhook,
  archiveIds,
} from "../../support/stack-records.ts";
import {
  fromOtherStack,
  hook,
  logs,
  dependencies,
  theirHook,
  theirLogs,
  usualTarget,
  update,
} from "../../support/import-samples.ts";
import {
  boardAs,
  scenarioFor,
  failing,
  hiding,
  isThere,
  isWatched,
  testOutcomeCodes,
  linked,
  linkedPair,
  onlyOverview,
  overview,
  overviewAlone,
  refusing,
  theirs,
  watching,
  type Bodies,
  type Outcomes,
  type Scenario,
} from "../../support/outcome-scenarios.ts";

const busy = alert(hexId("a", 32), "Busy", overview, archiveIds.webhook);
const ofNoTile = { dashboardId: null, tileId: null };
const onSearch = { ...busy, ...ofNoTile, source: "saved_search", savedSearchId: hexId("e", 1) };
const anotherHook = webhook(hexId("e", 9), "another");
const secondHook = webhook(hexId("a", 3), "second");

const withTile = (config: JsonObject): JsonObject => ({ ...overview, tiles: [{ id: "t1", name: "T", config }] });
const textOnly = (markdown: string): JsonObject => withTile({ displayType: "markdown", markdown });
const onSql = withTile(rawSql(hexId("c", 9)));
const assigned = "password «redacted:assigned-secret»";
const search = { id: hexId("e", 1), name: "Errors", sourceId: archiveIds.source };
/** Returns two records with the same name. */
const twins = (body: JsonObject, more: JsonObject = {}): JsonObject[] => [
  body,
  { ...body, id: hexId("b", 3), ...more },
];
const inChannels = (...channels: JsonObject[]): JsonObject => ({ ...busy, channel: channels[0] ?? null, channels });
const channelTo = (number: number): JsonObject => ({ type: "webhook", webhookId: hexId("a", number) });

const all: Bodies = { dashboards: [overview], alerts: [busy], ...dependencies.ours };
const busyAs = (body: JsonObject): Bodies => ({ ...all, alerts: [body] });
const twoChannels = { ...busyAs(inChannels(channelTo(2), channelTo(3))), webhooks: [hook, secondHook] };
/** An alert as a stack shows it that keeps one channel. */
const showingOneChannel = (isWatched.alerts ?? []).map(({ channels: _channels, ...shown }) => shown);
const everything = records(all);

const managedTarget = (more: Bodies = {}): MemoryStack =>
  memoryStack({ dashboards: [], alerts: [], ...dependencies.theirs, ...more }, "managed");
/** Creates a target whose API also creates sources, webhooks and saved searches. */
const makesAll = (more: Bodies = {}): MemoryStack => usualTarget({ "saved-searches": [], ...more });

/** Creates a target that makes this change after it has created a record, and before it responds. */
function afterCreate(change: (stack: MemoryStack, stored: JsonObject) => JsonObject): MemoryStack {
  const stack = usualTarget();
  const create = stack.client.create.bind(stack.client);
  stack.client.create = async (...sent) => change(stack, await create(...sent));
  return stack;
}

/** Creates a target with an alert on the overview, whose server deletes all alerts at the first write. */
function losingAlerts(more: Bodies = {}): MemoryStack {
  const stack = usualTarget({ ...isWatched, ...more });
  stack.interceptAfter = () => stack.records.get("alerts")?.clear();
  return stack;
}

/** Imports an archive with these bodies once. */
function importOf(recordName: string, archive: Bodies, stack = usualTarget(), options: RunOptions = {}): Scenario {
  return scenarioFor(recordName, async () => (await importInto(stack, records(archive), options)).outcomes);
}

/** Imports the overview, edits it on the target, and imports the source's new version of it. */
function importAfterEdit(then: JsonObject): Scenario {
  const run = async (): Promise<Outcomes> => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(onlyOverview);
    changeOn(stack, "dashboards", { tags: ["edited"] });
    return (await stage.run(records(boardAs(then)))).outcomes;
  };
  return scenarioFor("Overview", run);
}

/** An import that was killed before it set the link of a dashboard to itself, and a target that has stored something else. */
const unfinished = scenarioFor("Overview", async () => {
  const toItself = linkingTable(String(overview["id"]), archiveIds.source);
  const board = { ...overview, tiles: [tileWith("t1", "Itself", toItself)] };
  const stack = usualTarget();
  const stage = importStage(stack);
  await runKilled(stack, "after", /^create dashboards$/, () => stage.run(records(boardAs(board))));
  const [{ tiles = [] } = {}] = recordsOn(stack, "dashboards") as { tiles?: JsonObject[] }[];
  changeOn(stack, "dashboards", { tiles: tiles.map((each) => ({ ...each, h: 9 })) });
  return (await stage.run(records(boardAs(board)))).outcomes;
});

const imports: Readonly<Record<string, Scenario>> = {
  "unfinished-import": unfinished,
  edited: importAfterEdit(overview),
  "both-changed": importAfterEdit({ ...overview, tags: ["source"] }),
  "secret-refused: another host": scenarioFor("Overview", async () => {
    const archive = records({ dashboards: [textOnly("https://hooks.example/«redacted:webhook-path»")] });
    const there = { "/tiles/0/config/markdown": "https://elsewhere.example/path" };
    const { secrets } = withSecrets(archive, { [`dashboards/${String(overview["id"])}`]: there });
    return (await importInto(usualTarget(), archive, { secrets })).outcomes;
  }),
  "secret-in-output": importOf("Overview", boardAs(textOnly("our-own-key-1234567890")), usualTarget(), {
    credentials: ["our-own-key-1234567890"],
  }),
  forbidden: importOf(
    "Errors",
    { "saved-searches": [search], sources: [logs] },
    failing(makesAll(), "list saved-searches", () => refusalError("forbidden", "Forbidden")),
    { create: ["saved-searches"] },
  ),
  "forbidden: Forbidden": importOf(
    "Overview",
    overviewAlone,
    failing(usualTarget(), "create dashboards", () => refusalError("forbidden", "Forbidden")),
  ),
  "several-channels": importOf("Busy", twoChannels, managedTarget({ alerts: showingOneChannel })),
  "would-be-refused: e-mail": importOf(
    "Busy",
    busyAs(inChannels({ type: "email", emailRecipients: ["oncall@example.com"] })),
  ),
  "would-be-refused: heatmaps": importOf("Overview", boardAs(withTile(heatmap(hexId("a", 1))))),
  "would-be-refused: managed stack": importOf(
    "Busy",
    { ...busyAs({ ...busy, tileId: "t1" }), dashboards: [textOnly("x")] },
    managedTarget(),
  ),
  "needs-fitting": importOf("Overview", { dashboards: [{ ...overview, tags: ["t".repeat(33)] }] }),
  "left-out": importOf("Busy", all, usualTarget(), { ...fromOtherStack, transforms: { leaveOut: { alerts: ["B*"] } } }),
  "ambiguous: rename": importOf("Same", { dashboards: [overview, linked(17, 16)] }, usualTarget(), {
    ...fromOtherStack,
    transforms: { rename: [{ from: "*", to: "Same" }] },
  }),
  "would-be-refused: too wide": scenarioFor("Overview", async () => {
    const stack = usualTarget();
    const errors = [{ path: "tiles.0.w", message: "too wide" }];
    const client = { ...stack.client, validate: async () => ({ valid: false, errors }) };
    return (await importInto({ ...stack, client }, onlyOverview, { dryRun: true })).outcomes;
  }),
  "redacted: never returns": importOf("another", { webhooks: [anotherHook] }, makesAll(), { create: ["webhooks"] }),
  "not-offered: create a webhook": importOf("another", { webhooks: [anotherHook] }, usualTarget(), {
    create: ["webhooks"],
  }),
  "not-offered: slack_api": importOf("another", { webhooks: [{ ...anotherHook, service: "slack_api" }] }, makesAll(), {
    create: ["webhooks"],
  }),
  "exists: never updated": importOf("Logs", { sources: [{ ...logs, section: "ours" }] }, makesAll(), {
    create: ["sources"],
  }),
  "placeholder-unlisted": importOf("Overview", boardAs(textOnly(assigned)), usualTarget(), { isListed: () => false }),
  "secret-refused: another text": scenarioFor("Overview", async () => {
    const archive = records(boardAs(textOnly(assigned)));
    const stale = [{ context: "another text", value: "secret" }];
    const secrets = { [`dashboards/${String(overview["id"])}`]: { "/tiles/0/config/markdown": stale } };
    return (await importInto(usualTarget(), archive, { secrets })).outcomes;
  }),
  "dead-reference": importOf("Overview", { dashboards: [overview] }, usualTarget(), { whole: new Set(["sources"]) }),
  "unshown-tile": importOf("Busy", busyAs({ ...busy, tileId: hexId("e", 9) })),
  "would-be-refused: where": importOf(
    "Errors",
    { "saved-searches": [{ ...search, where: "w".repeat(9000) }], sources: [logs] },
    makesAll(),
    {
      create: ["saved-searches"],
      fitLimits: true,
    },
  ),
  "missing-reference: source": importOf("Overview", overviewAlone, usualTarget({ sources: [] })),
  "missing-reference: webhook": importOf("Busy", all, usualTarget({ webhooks: [] })),
  "missing-reference: connection": importOf("Overview", { dashboards: [onSql] }),
  "missing-reference: dashboard": importOf("Busy", all, usualTarget(), { filter: including("Busy") }),
  "missing-reference: tile": importOf(
    "Busy",
    all,
    usualTarget({ dashboards: [{ ...textOnly("theirs"), id: hexId("b", 16) }] }),
  ),
  "missing-reference: saved search": importOf("Busy", { alerts: [onSearch], webhooks: [hook] }),
  "ambiguous: source": importOf("Overview", overviewAlone, usualTarget({ sources: twins(theirLogs) })),
  "ambiguous: webhook": importOf("Busy", all, usualTarget({ webhooks: twins(theirHook) })),
  "ambiguous: dashboards": importOf(
    "Overview",
    overviewAlone,
    usualTarget({ dashboards: twins(theirs, { tags: ["too"] }) }),
    update,
  ),
  "ambiguous: alerts": importOf(
    "Busy",
    all,
    usualTarget({
      dashboards: [theirs],
      alerts: twins({ ...watching, name: "Busy", threshold: 11 }, { threshold: 12 }),
    }),
    update,
  ),
  "dependency-blocked": importOf("Busy", all, usualTarget({ sources: [] })),
  "dependency-failed": importOf("Busy", all, refusing("create dashboards")),
  "would-delete-alerts": importOf("Overview", boardAs(textOnly("x")), usualTarget(isWatched), update),
  "would-be-refused: no channel": importOf("Busy", busyAs({ ...busy, channel: undefined, channels: undefined })),
  "would-lose-hidden": importOf("Overview", boardAs(textOnly("x")), hiding(usualTarget(isThere), theirs), update),
  "hidden-lost": importOf(
    "Watching",
    overviewAlone,
    losingAlerts({ alerts: [{ ...watching, tileId: hexId("d", 9) }] }),
    {
      ...update,
      acceptHiddenLoss: true,
    },
  ),
  "cascade-loss": importOf("Watching", overviewAlone, losingAlerts(), update),
  redacted: importOf("Overview", { dashboards: [textOnly("password: «redacted:jwt»")] }),
  exists: importOf("Overview", overviewAlone, usualTarget(isThere)),
  kept: importOf("Overview", overviewAlone, usualTarget({ dashboards: [{ ...theirs, tiles: [] }] }), {
    tile: "Requests",
    filter: including("Overview"),
  }),
  matched: importOf("Logs", all),
  unmatched: importOf("Logs", { sources: [logs] }, usualTarget({ sources: [] })),
  "left-out: not create": importOf(
    "Pipe",
    { pipes: [{ id: "p-1", name: "Pipe", state: "Running" }] },
    usualTarget({ pipes: [] }),
  ),
  rejected: importOf("Overview", overviewAlone, refusing("create dashboards")),
  "changed-since": scenarioFor("Overview", async () => {
    const stack = usualTarget(isThere);
    stack.intercept = (operation) => {
      if (operation === "get dashboards") putRecord(stack, "dashboards", { ...theirs, tags: ["now"] });
    };
    return (await importInto(stack, onlyOverview, update)).outcomes;
  }),
  "create-unknown": scenarioFor("Overview", async () => {
    const stack = usualTarget();
    stack.intercept = (operation) => {
      if (operation !== "create dashboards") return;
      for (const n of [1, 2]) putRecord(stack, "dashboards", { ...theirs, id: hexId("e", n), tags: [String(n)] });
      throw lostAnswerError();
    };
    return (await importInto(stack, onlyOverview)).outcomes;
  }),
  doubled: importOf(
    "Overview",
    overviewAlone,
    afterCreate((stack, stored) => {
      putRecord(stack, "dashboards", { ...theirs, id: hexId("e", 1) });
      return stored;
    }),
  ),
  "not-stored": scenarioFor("Busy", async () => {
    const stack = usualTarget({ webhooks: [theirHook, webhook(hexId("b", 3), "second")] });
    stack.replaceStored = (_, { channels: _dropped, ...kept }) => kept;
    return (await importInto(stack, records(twoChannels))).outcomes;
  }),
  "not-stored: list": importOf(
    "Overview",
    overviewAlone,
    afterCreate((stack, stored) => {
      stack.records.get("dashboards")?.delete(String(stored["id"]));
      return stored;
    }),
  ),
  "link-failed": scenarioFor("Linked 17", async () => {
    const stack = usualTarget();
    stack.intercept = (operation, body) => {
      if (operation === "create dashboards" && body?.["name"] === "Linked 16") throw refusalError("rejected", "no");
    };
    return (await importInto(stack, records(linkedPair))).outcomes;
  }),
  interrupted: scenarioFor("Overview", async () => {
    const stack = usualTarget();
    stack.intercept = (operation) => {
      if (operation !== "create dashboards") return;
      stack.intercept = () => {
        throw interruptionError();
      };
      throw lostAnswerError();
    };
    return (await importInto(stack, onlyOverview)).outcomes;
  }),
  "not-started": importOf(
    "Busy",
    all,
    failing(usualTarget(), "create dashboards", () => refusalError("unauthorized", "no")),
  ),
};

testOutcomeCodes("an import", "## Outcomes of an import", imports, 36);

it("a create that succeeds has no code", async () => {
  const { outcomes } = await importInto(usualTarget(), everything);
  expect(outcomes.filter(({ action }) => action === "create")).toHaveLength(2);
  for (const { action, status, code } of outcomes) {
    expect([status, code]).toEqual(["done", action === "create" ? undefined : "matched"]);
  }
});
