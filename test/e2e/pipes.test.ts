import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { programForOneStack } from "../support/program.ts";
import { allowUndescribed } from "../support/allow-undescribed.ts";

const uuid = (number: number): string => `7c9e6679-7425-40de-944b-${String(number).padStart(12, "0")}`;
const mappings = [{ sourceSchemaName: "shop", sourceTable: "orders", targetTable: "orders" }];
const SECRET = "hunter2-correct-horse";

/** One pipe for each kind of source. `authentication` is the name of a method, not a secret. */
const SOURCES = {
  kafka: { brokers: "k:9092", authentication: "SCRAM-SHA-512", schemaRegistry: { authentication: "PLAIN" } },
  plain: { type: "kafka", authentication: "PLAIN", schemaRegistry: null },
  mutual: { type: "msk", authentication: "MUTUAL_TLS" },
  objectStorage: { url: "https://bucket.example.com/x", authentication: "CONNECTION_STRING", connectionString: SECRET },
  kinesis: { streamName: "s", authentication: "IAM_ROLE", iamRole: null },
  iamUser: { streamName: "s", authentication: "IAM_USER" },
  pubsub: { projectId: "p", topic: "t", authentication: "SERVICE_ACCOUNT", seekType: "latest", format: "Avro" },
  postgres: { host: "db.example.com", port: 5432, authentication: "basic", tableMappings: mappings },
  mysql: {
    host: "db.example.com",
    port: 3306,
    authentication: "basic",
    settings: { replicationMode: "cdc" },
    tableMappings: mappings,
  },
  bigquery: { snapshotStagingPath: "gs://b/x", tableMappings: [{ sourceDatasetName: "d", sourceTable: "t" }] },
  mongodb: { uri: `mongodb+srv://reader:${SECRET}@db.example.com/shop?tls=true`, readPreference: "primary" },
};
const member = (name: string): string => ({ plain: "kafka", mutual: "kafka", iamUser: "kinesis" })[name] ?? name;
const pipes = Object.entries(SOURCES).map(([name, source], index) => ({
  id: uuid(index + 1),
  name,
  state: "Running",
  source: { [member(name)]: source },
}));

async function exported(options: Partial<SandboxOptions> = {}) {
  await using program = await programForOneStack({ variant: "managed", seed: { pipes }, ...options });
  const { stack, cwd } = program;
  const run = await program.json(`export --from $STACK --out a --format folder`);
  const routes = Object.keys(stack.stats().byRoute).filter((route) => route.includes("pipes"));
  const read = (id: string): Promise<string> => readFile(join(cwd, "a", "pipes", `${id}.json`), "utf8");
  return { run, routes, read };
}

describe("the pipes of a managed stack", () => {
  test("are listed with every kind of source", async () => {
    const { run, routes } = await exported();
    expect(run).toMatchObject({ exitCode: 0, kinds: { pipes: { status: "complete", count: pipes.length } } });
    expect(routes).toEqual(["GET pipes"]);
  });

  test("are not offered by a deployment that does not list them", async () => {
    const { run } = await exported({ without: ["GET pipes"] });
    expect(run).toMatchObject({ exitCode: 0, kinds: { pipes: { status: "not-offered", count: 0 } } });
  });

  test("are archived whatever the type of a member that the program does not use", async () => {
    allowUndescribed(/max_threads: is string, not integer$/);
    const odd = { ...pipes[0], settings: { engine_max_threads: "8" } };
    const { run, read } = await exported({ seed: { pipes: [odd] } });
    expect(run).toMatchObject({ exitCode: 0, kinds: { pipes: { status: "complete", count: 1 } } });
    expect(await read(uuid(1))).toContain('"engine_max_threads": "8"');
  });

  test("keep the names of methods, and lose passwords", async () => {
    const { run, read } = await exported();
    for (const [index, [name, source]] of Object.entries(SOURCES).entries()) {
      const text = await read(uuid(index + 1));
      const { authentication } = source as { authentication?: string };
      expect(text).not.toContain(SECRET);
      if (authentication !== undefined)
        expect([name, text]).toEqual([name, expect.stringContaining(`"${authentication}"`)]);
    }
    const mongo = await read(uuid(pipes.length));
    expect(mongo).toContain("db.example.com/shop?tls=true");
    expect(run).toMatchObject({ redactions: 2 });
    expect(await read(uuid(1))).toContain('"PLAIN"');
  });
});
