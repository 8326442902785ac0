// stackferry as a library: everything from one stack onto another, on two sandboxes in this process. Run: node samples/library.mjs
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportArchive, importArchive, startSandbox } from "stackferry";

const folder = await mkdtemp(join(tmpdir(), "stackferry-library-"));
const office = await startSandbox({ variant: "self-hosted", seed: "sample" });
const cloud = await startSandbox({ variant: "managed", seed: "bare" });

const { organizationId, serviceId, keyId, keySecret } = cloud;
const from = { variant: "self-hosted", baseUrl: office.url, apiKey: office.apiKey };
const to = { variant: "managed", baseUrl: cloud.url, organizationId, serviceId, keyId, keySecret };

const { archive } = await exportArchive({ from, out: join(folder, "office.zip") });

// Sources and webhooks of the same names are matched, and saved searches created, since alerts are on them.
// A stack that does not list its webhooks needs `map: { webhooks: { NAME: ID } }`.
const { outcomes } = await importArchive({
  archive: archive.path,
  to,
  create: ["saved-searches"],
  transforms: { tags: { set: ["moved"] } },
  journals: folder,
});

const created = outcomes.filter(({ action, status }) => action === "create" && status === "done").length;
console.log(`${archive.contentDigest.slice(0, 12)}: ${created} records created on the managed stack`);

await Promise.all([office.close(), cloud.close()]);
await rm(folder, { recursive: true });
