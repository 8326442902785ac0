import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly env?: object;
  readonly jobs: Readonly<Record<string, { readonly env?: object; readonly steps: readonly Step[] }>>;
}

const workflows = ["dashboards.yaml", "drift.yaml", "seed-staging.yaml"].map((file) => join("github-actions", file));

describe.each([...workflows, "promotion/promote.yaml"])("samples/%s", (file) => {
  const load = async () => parse(await readFile(join(samples, file), "utf8")) as Workflow;

  it("gives keys to single steps only", async () => {
    const { env, jobs } = await load();
    expect([env, ...Object.values(jobs).map((job) => job.env)].filter((each) => each !== undefined)).toEqual([]);
  });

  it("takes actions by commit, and installs a tarball whose checksum it has compared", async () => {
    const steps = Object.values((await load()).jobs).flatMap((job) => job.steps);
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w/-]+@[0-9a-f]{40}$/);
    const installs = steps.flatMap(({ run = "" }) => (run.includes("npm install") ? [run] : []));
    expect(installs.length).toBeGreaterThan(0);
    for (const run of installs) {
      expect(run).toMatch(/sha256sum --check --strict\nnpm install --global --ignore-scripts "[^"]+\.tgz"\n$/);
    }
  });
});

it("samples/kubernetes take images by digest", async () => {
  const files = (await readdir(join(samples, "kubernetes"))).filter((name) => name.endsWith("cronjob.yaml"));
  expect(files).toHaveLength(3);
  for (const file of files) {
    const text = await readFile(join(samples, "kubernetes", file), "utf8");
    for (const [, image = ""] of text.matchAll(/^ *image: (\S+)$/gm)) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  }
});

it("samples/Dockerfile takes its base image by one digest, which has a place of its own", async () => {
  const text = await readFile(join(samples, "Dockerfile"), "utf8");
  expect(text.match(/^ARG .*$/gm)).toEqual([
    expect.stringMatching(/^ARG NODE_IMAGE=node:22-slim@sha256:[0-9a-f]{64}$/),
  ]);
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(bases).toEqual(["${NODE_IMAGE}", "${NODE_IMAGE}"]);
});
