import { expect, it } from "vitest";
import {
  dependencies,
  fromOtherStack,
  hook,
  logs,
  newStage,
  theirHook,
  theirLogs,
  update,
  usualTarget,
} from "../../support/import-samples.ts";
import { importInto, including, withSecrets, type JsonObject, type RunOptions } from "../../support/import-stage.ts";
import {
  failOperation,
  interruptionError,
  lostAnswerError,
  memoryStack,
  putRecord,
  refusalError,
  runKilled,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { changeOn, recordsOn } from "../../support/on-stack.ts";
import {
  boardAs,
  failing,
  hiding,
  isThere,
  isWatched,
  linked,
  linkedPair,
  onlyOverview,
  overview,
  overviewAlone,
  refusing,
  scenarioFor,
  testOutcomeCodes,
  theirs,
  watching,
  type Bodies,
  type Outcomes,
  type Scenario,
} from "../../support/outcome-scenarios.ts";
import {
  alert,
  archiveIds,
  heatmap,
  hexId,
  linkingTable,
  rawSql,
  records,
  tileWith,
  webhook,
} from "../../support/stack-records.ts";

const busy = alert(hexId("a", 32), "Busy", overview, archiveIds.webhook);
const ofNoTile = { dashboardId: null, tileId: null };
const onSearch = { ...busy, ...ofNoTile, source: "saved_search", savedSearchId: hexId("e", 1) };
const secondHook = webhook(hexId("a", 3), "second");

const withTile = (config: JsonObject): JsonObject => ({ ...overview, tiles: [{ id: "t1", name: "T", config }] });
const textOnly = (markdown: string): JsonObject => withTile({ displayType: "markdown", markdown });
const assigned = "password «redacted:assigned-secret»";
const ownKey = "our-own-key-1234567890";
const forbidden = (): Error => refusalError("forbidden", "Forbidden");
const hookAs = (more: JsonObject): Bodies => ({ webhooks: [{ ...webhook(hexId("e", 9), "another"), ...more }] });
const searchAs = (more: JsonObject): Bodies => ({
  "saved-searches": [{ id: hexId("e", 1), name: "Errors", sourceId: archiveIds.source, ...more }],
  sources: [logs],
});
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

const managedTarget = (more: Bodies = {}): MemoryStack =>
  memoryStack({ dashboards: [], alerts: [], ...dependencies.theirs, ...more }, "managed");
/** Creates a target whose API also creates sources, webhooks and saved searches. */
const makesAll = (more: Bodies = {}): MemoryStack => usualTarget({ "saved-searches": [], ...more });

/** Creates a target, and changes its behaviour. */
function targetThat(behaves: (stack: MemoryStack) => unknown, more: Bodies = {}): MemoryStack {
  const stack = usualTarget(more);
  behaves(stack);
  return stack;
}

/** Creates a target with an alert on the overview, whose server deletes all alerts at the first write. */
const losingAlerts = (more: Bodies = {}): MemoryStack =>
  targetThat((stack) => (stack.interceptAfter = () => stack.records.get("alerts")?.clear()), { ...isWatched, ...more });

/** Imports an archive with these bodies once. */
function importOf(recordName: string, archive: Bodies, stack = usualTarget(), options: RunOptions = {}): Scenario {
  return scenarioFor(recordName, async () => (await importInto(stack, records(archive), options)).outcomes);
}

/** Imports the overview and its source once. */
const boardOnto = (stack: MemoryStack, options?: RunOptions): Scenario =>
  importOf("Overview", overviewAlone, stack, options);
/** Imports the overview with the alert "Busy" once. */
const busyOnto = (stack: MemoryStack, options?: RunOptions): Scenario => importOf("Busy", all, stack, options);
/** Imports an archive once, and creates records of this kind. */
const creating = (kind: string, recordName: string, archive: Bodies, stack: MemoryStack, more?: RunOptions): Scenario =>
  importOf(recordName, archive, stack, { create: [kind], ...more });

/** Imports the overview, edits it on the target, and imports the source's new version of it. */
function importAfterEdit(then: JsonObject): Scenario {
  const run = async (): Promise<Outcomes> => {
    const { stack, stage } = newStage();
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
  const { stack, stage } = newStage();
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
  "secret-in-output": importOf("Overview", boardAs(textOnly(ownKey)), usualTarget(), { credentials: [ownKey] }),
  forbidden: creating("saved-searches", "Errors", searchAs({}), failing(makesAll(), "list saved-searches", forbidden)),
  "forbidden: Forbidden": boardOnto(failing(usualTarget(), "create dashboards", forbidden)),
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
  "left-out": busyOnto(usualTarget(), { ...fromOtherStack, transforms: { leaveOut: { alerts: ["B*"] } } }),
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
  "redacted: never returns": creating("webhooks", "another", hookAs({}), makesAll()),
  "not-offered: create a webhook": creating("webhooks", "another", hookAs({}), usualTarget()),
  "not-offered: slack_api": creating("webhooks", "another", hookAs({ service: "slack_api" }), makesAll()),
  "exists: never updated": creating("sources", "Logs", { sources: [{ ...logs, section: "ours" }] }, makesAll()),
  "placeholder-unlisted": importOf("Overview", boardAs(textOnly(assigned)), usualTarget(), { isListed: () => false }),
  "secret-refused: another text": scenarioFor("Overview", async () => {
    const archive = records(boardAs(textOnly(assigned)));
    const stale = [{ context: "another text", value: "secret" }];
    const secrets = { [`dashboards/${String(overview["id"])}`]: { "/tiles/0/config/markdown": stale } };
    return (await importInto(usualTarget(), archive, { secrets })).outcomes;
  }),
  "dead-reference": importOf("Overview", { dashboards: [overview] }, usualTarget(), { whole: new Set(["sources"]) }),
  "unshown-tile": importOf("Busy", busyAs({ ...busy, tileId: hexId("e", 9) })),
  "would-be-refused: where": creating("saved-searches", "Errors", searchAs({ where: "w".repeat(9000) }), makesAll(), {
    fitLimits: true,
  }),
  "missing-reference: source": boardOnto(usualTarget({ sources: [] })),
  "missing-reference: webhook": busyOnto(usualTarget({ webhooks: [] })),
  "missing-reference: connection": importOf("Overview", { dashboards: [withTile(rawSql(hexId("c", 9)))] }),
  "missing-reference: dashboard": busyOnto(usualTarget(), { filter: including("Busy") }),
  "missing-reference: tile": busyOnto(usualTarget({ dashboards: [{ ...textOnly("theirs"), id: hexId("b", 16) }] })),
  "missing-reference: saved search": importOf("Busy", { alerts: [onSearch], webhooks: [hook] }),
  "ambiguous: source": boardOnto(usualTarget({ sources: twins(theirLogs) })),
  "ambiguous: webhook": busyOnto(usualTarget({ webhooks: twins(theirHook) })),
  "ambiguous: dashboards": boardOnto(usualTarget({ dashboards: twins(theirs, { tags: ["too"] }) }), update),
  "ambiguous: alerts": busyOnto(
    usualTarget({
      dashboards: [theirs],
      alerts: twins({ ...watching, name: "Busy", threshold: 11 }, { threshold: 12 }),
    }),
    update,
  ),
  "dependency-blocked": busyOnto(usualTarget({ sources: [] })),
  "dependency-failed": busyOnto(refusing("create dashboards")),
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
  exists: boardOnto(usualTarget(isThere)),
  kept: boardOnto(usualTarget({ dashboards: [{ ...theirs, tiles: [] }] }), {
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
  rejected: boardOnto(refusing("create dashboards")),
  "changed-since": boardOnto(
    targetThat((stack) => {
      stack.intercept = (operation) => {
        if (operation === "get dashboards") putRecord(stack, "dashboards", { ...theirs, tags: ["now"] });
      };
    }, isThere),
    update,
  ),
  "create-unknown": boardOnto(
    targetThat((stack) =>
      failOperation(stack, "create dashboards", () => {
        for (const n of [1, 2]) putRecord(stack, "dashboards", { ...theirs, id: hexId("e", n), tags: [String(n)] });
        return lostAnswerError();
      }),
    ),
  ),
  doubled: boardOnto(
    targetThat(
      (stack) => (stack.interceptAfter = () => putRecord(stack, "dashboards", { ...theirs, id: hexId("e", 1) })),
    ),
  ),
  "not-stored": importOf(
    "Busy",
    twoChannels,
    targetThat((stack) => (stack.replaceStored = (_, { channels: _dropped, ...kept }) => kept), {
      webhooks: [theirHook, webhook(hexId("b", 3), "second")],
    }),
  ),
  "not-stored: list": boardOnto(
    targetThat((stack) => (stack.interceptAfter = () => stack.records.get("dashboards")?.clear())),
  ),
  "link-failed": importOf(
    "Linked 17",
    linkedPair,
    targetThat((stack) => {
      stack.intercept = (operation, body) => {
        if (operation === "create dashboards" && body?.["name"] === "Linked 16") throw refusalError("rejected", "no");
      };
    }),
  ),
  interrupted: boardOnto(
    targetThat((stack) =>
      failOperation(stack, "create dashboards", () => {
        failOperation(stack, "list dashboards", interruptionError);
        return lostAnswerError();
      }),
    ),
  ),
  "not-started": busyOnto(failing(usualTarget(), "create dashboards", () => refusalError("unauthorized", "no"))),
};

testOutcomeCodes("an import", "## Outcomes of an import", imports, 36);

it("a create that succeeds has no code", async () => {
  const { outcomes } = await importInto(usualTarget(), records(all));
  expect(outcomes.filter(({ action }) => action === "create")).toHaveLength(2);
  for (const { action, status, code } of outcomes) {
    expect([status, code]).toEqual(["done", action === "create" ? undefined : "matched"]);
  }
});
