// stackferry as a library: everything from one stack onto another, on two sandboxes in this process. Run: node samples/library.mjs
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  applyPlan,
  createArchiveWriter,
  createRecordEncoder,
  createStackClient,
  exportStack,
  ignoreEvents,
  kinds,
  memoryJournal,
  openArchive,
  planRecords,
  readInventory,
  recordKey,
  startSandbox,
  systemClock,
} from "stackferry";

const folder = await mkdtemp(join(tmpdir(), "stackferry-library-"));
const context = { events: ignoreEvents };
const labels = { tags: ["moved"] };

const office = await startSandbox({ variant: "self-hosted", seed: "sample" });
const cloud = await startSandbox({ variant: "managed", seed: "bare" });
const from = createStackClient({
  identity: { variant: "self-hosted", baseUrl: office.url },
  credential: { apiKey: office.apiKey },
});
const { organizationId, serviceId, keyId, keySecret } = cloud;
const to = createStackClient({
  identity: { variant: "managed", baseUrl: cloud.url, organizationId, serviceId },
  credential: { keyId, keySecret },
});

const { archive } = await exportStack(
  {
    client: from,
    kinds,
    ids: {},
    filter: { include: [], exclude: [] },
    encode: createRecordEncoder(),
    openWriter: () => createArchiveWriter({ path: join(folder, "office.zip"), format: "zip" }),
    createdAt: new Date().toISOString(),
    createdBy: { name: "library-sample", version: "1.0.0" },
    allowPartial: false,
  },
  context,
);

const reader = await openArchive(archive.path);
const records = [];
for await (const record of reader.records()) records.push(record);
const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));

// A managed stack has no list of webhooks, so they are named here; `cloud.webhooks` stands for what you know of yours.
const webhooks = Object.fromEntries(
  office.webhooks.map(({ id, name }) => [id, cloud.webhooks.find((hook) => hook.name === name).id]),
);
const plan = planRecords({
  records,
  inventory: await readInventory(to, kinds, context),
  options: {
    onConflict: "skip",
    kinds: [],
    filter: { include: [], exclude: [] },
    mapping: { webhooks },
    defaults: {},
    labels,
  },
});
const { outcomes } = await applyPlan(
  {
    plan,
    read: async (key) => byKey.get(key),
    client: to,
    labels,
    onError: "continue",
    concurrency: 4,
    journal: memoryJournal(),
    clock: systemClock,
    settleMs: 10_000,
    verify: true,
  },
  context,
);

const created = outcomes.filter(({ action, status }) => action === "create" && status === "done").length;
console.log(`${archive.contentDigest.slice(0, 12)}: ${created} records created on the managed stack`);

await Promise.all([reader, from, to, office, cloud].map((each) => each[Symbol.asyncDispose]()));
await rm(folder, { recursive: true });
