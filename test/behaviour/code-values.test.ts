import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { fillValues } from "../../src/archive/as-code/values.ts";
import { fileText, updatedText } from "../../src/archive/as-code/write/yaml-text.ts";
import { dashboards } from "../../src/kinds/dashboards.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { exportedBoard } from "../support/code-folder.ts";
import type { BackupFixture } from "../support/backup-fixture.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FILE = `name: Latency of \${value:environment}
tiles:
  - name: Note
    x: 0
    y: 0
    w: \${value:width:-6}
    h: 3
    config:
      displayType: markdown
      markdown: "Limit: \${value:limit} ms, and $\${value:this} is text"
`;

interface Bench extends Pick<BackupFixture, "cwd"> {
  readonly run: (...args: string[]) => ReturnType<typeof runCli>;
}

/** Two stacks with their own values, and one folder of files. */
async function withStacks(use: (bench: Bench, boards: (stack: "dev" | "prod") => Promise<unknown[]>) => Promise<void>) {
  await using dev = await startSandbox({ variant: "self-hosted", seed: "none" });
  await using prod = await startSandbox({ variant: "self-hosted", seed: "none" });
  const cwd = temporaryFolder();
  const env = { DEV_KEY: dev.apiKey ?? "", PROD_KEY: prod.apiKey ?? "" };
  const stack = (url: string, key: string, values: string): string =>
    `{ variant: self-hosted, baseUrl: "${url}", apiKey: "\${env:${key}}", values: ${values} }`;
  await writeFile(
    join(cwd, "stackferry.yaml"),
    `stacks:\n  dev: ${stack(dev.url, "DEV_KEY", "{ environment: dev, limit: 900 }")}\n  prod: ${stack(prod.url, "PROD_KEY", "{ environment: prod, limit: 300, width: 12 }")}\n`,
  );
  await mkdir(join(cwd, "stack/dashboards"), { recursive: true });
  await writeFile(join(cwd, "stack/dashboards/latency.yaml"), FILE);
  const run: Bench["run"] = (...args) => runCli(args, { cwd, env });
  await use({ cwd, run }, async (name) => readSandbox(name === "dev" ? dev : prod, "dashboards"));
}

describe("values of a stack in files", () => {
  it("are filled in with their type, a default where there is none, and a second run writes nothing", async () => {
    await withStacks(async ({ run }, boards) => {
      for (const stack of ["dev", "prod"] as const) {
        expect((await run("apply", "stack", "--to", stack, "--yes")).exitCode).toBe(0);
        const again = documentOf(await run("apply", "stack", "--to", stack, "--yes", "--json"));
        expect(again).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
      }
      const note = (limit: number): string => `Limit: ${limit} ms, and \${value:this} is text`;
      expect(await boards("dev")).toMatchObject([
        { name: "Latency of dev", tiles: [{ w: 6, config: { markdown: note(900) } }] },
      ]);
      expect(await boards("prod")).toMatchObject([
        { name: "Latency of prod", tiles: [{ w: 12, config: { markdown: note(300) } }] },
      ]);
      expect((await run("diff", "stack", "prod", "--exit-code")).exitCode).toBe(0);
    });
  });

  it("stay in the files that an export writes onto, byte for byte", async () => {
    await withStacks(async ({ cwd, run }) => {
      await run("apply", "stack", "--to", "prod", "--yes");
      expect((await run("export", "--from", "prod", "--format", "code", "--out", "stack")).exitCode).toBe(0);
      expect(await readFile(join(cwd, "stack/dashboards/latency.yaml"), "utf8")).toContain(FILE);
    });
  });

  it("have defaults that stay as they are written inside a text", async () => {
    await withStacks(async ({ cwd, run }, boards) => {
      const file = "name: 'Version ${value:v:-1.10} ${value:channel:-of #all}'\ntiles: []\n";
      await writeFile(join(cwd, "stack/dashboards/latency.yaml"), file);
      await run("apply", "stack", "--to", "dev", "--yes");
      expect(await boards("dev")).toMatchObject([{ name: "Version 1.10 of #all" }]);
    });
  });

  it("come from --values, too, which wins", async () => {
    await withStacks(async ({ cwd, run }, boards) => {
      await writeFile(join(cwd, "values.yaml"), "environment: test\n");
      expect((await run("apply", "stack", "--to", "dev", "--yes", "--values", "values.yaml")).exitCode).toBe(0);
      expect(await boards("dev")).toMatchObject([{ name: "Latency of test" }]);
      await writeFile(join(cwd, "team"), "ops\n");
      await writeFile(join(cwd, "values.yaml"), "environment: ${file:team}\n");
      await run("apply", "stack", "--to", "dev", "--yes", "--values", "values.yaml");
      expect(await boards("dev")).toMatchObject([{ name: "Latency of ops" }]);
      await writeFile(join(cwd, "values.yaml"), "environment: ${env:NONE}\n");
      const missing = await run("apply", "stack", "--to", "dev", "--yes", "--values", "values.yaml");
      expect(missing.exitCode).toBe(2);
      expect(missing.stderr).toContain("values.environment needs the environment variable NONE");
    });
  });

  it("are filled in in a dashboard that the web interface has exported, wherever it is, and are missed there", async () => {
    await withStacks(async ({ cwd, run }, boards) => {
      await mkdir(join(cwd, "stack/more"));
      const config = { displayType: "markdown", markdown: "Limit: ${value:limit}" };
      const write = (name: string): Promise<void> =>
        writeFile(
          join(cwd, "stack/more/board.json"),
          exportedBoard([{ x: 0, y: 0, w: "${value:width:-6}", h: 3, config }], { name }),
        );
      await write("Board of ${value:environment}");
      for (const [stack, w] of [
        ["dev", 6],
        ["prod", 12],
      ] as const) {
        expect((await run("apply", "stack/more", "--to", stack, "--yes")).exitCode).toBe(0);
        const markdown = `Limit: ${stack === "dev" ? 900 : 300}`;
        expect(await boards(stack)).toMatchObject([
          { name: `Board of ${stack}`, tiles: [{ w, config: { markdown } }] },
        ]);
      }
      await write("Board of ${value:environmnt}");
      const refused = await run("apply", "stack", "--to", "dev", "--yes");
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toMatch(/board\.json:\d+:\d+: there is no value "environmnt": did you mean environment\?/);
    });
  });

  it.each([
    ["${value:limt}", 'latency.yaml:1:7: there is no value "limt": did you mean limit?'],
    ["${value:}", "is not a placeholder"],
    ["a ${value:no such}", "is not a placeholder"],
    ["${value:limit", "is not a placeholder"],
  ])("%s is a mistake with file and line, before any request", async (name, message) => {
    await withStacks(async ({ cwd, run }, boards) => {
      await writeFile(join(cwd, "stack/dashboards/latency.yaml"), `name: ${name}\ntiles: []\n`);
      await writeFile(join(cwd, "stack/dashboards/other.yaml"), "name: Other\ntiles: []\n");
      const result = await run("apply", "stack", "--to", "dev", "--yes");
      expect(result.exitCode).toBe(2);
      expect(result.stderr).toContain(message);
      expect(await boards("dev")).toEqual([]);
    });
  });
});

describe("an export onto files with placeholders", () => {
  const values = { limit: 300, name: "prod", on: true };
  const text = "# a comment\nname: B ${value:name}\ntags:\n  - ${value:name}\n  - x\nlimit: ${value:limit}\n";

  it("writes a plain value where the stack has another one, names it, and keeps the others", () => {
    const code = { name: "B prod", tags: ["prod", "x"], limit: 200 };
    const updated = updatedText(dashboards, code, text, values);
    expect(updated.replaced).toEqual(["${value:limit}"]);
    expect(updated.text).toContain("name: B ${value:name}\ntags:\n  - ${value:name}\n  - x\nlimit: 200\n");
  });

  it("escapes what looks like a placeholder on the stack", () => {
    const updated = updatedText(dashboards, { name: "${value:name}", tags: [], limit: 300 }, text, values);
    expect(updated.text).toContain("name: $${value:name}\n");
  });

  it.each(["see ${value:", "${value:a${value:b}", "$${value:a} ${value:}"])("reads %s of a stack as itself", (name) => {
    const document = parseDocument(fileText(dashboards, { name, [name]: 1 }), { version: "1.2" });
    expect(fillValues(document, {}).problems).toEqual([]);
    expect(document.toJS()).toEqual({ name, [name]: 1 });
  });

  it("writes the same bytes for every record and every set of values (200 by chance)", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 200; round += 1) {
      const names = ["a", "b", "c"];
      const chosen = Object.fromEntries(
        names.map((name) => [
          name,
          random.pick<string | number | boolean>([1, 0.5, true, "x", "12", "", "a: b", "${value:a}"]),
        ]),
      );
      const placeholder = (): string => `\${value:${random.pick(names)}}`;
      const scalar = (): string =>
        random.pick([placeholder(), `t ${placeholder()}`, "3", "plain", `'${placeholder()} q'`]);
      const present = `name: ${scalar()}\ntags:\n  - ${scalar()}\n  - ${scalar()}\nlimit: ${scalar()}\n`;
      const filled = (match: string, name: string): string => (match.startsWith("$$") ? match : String(chosen[name]));
      const valueOf = (raw: string): unknown => {
        const whole = /^\$\{value:(\w)\}$/.exec(raw);
        if (whole !== null) return chosen[whole[1] ?? ""];
        if (raw === "3") return 3;
        return raw.replaceAll(/^'|'$/g, "").replaceAll(/\$\{value:(\w)\}/g, filled);
      };
      const raws = [...present.matchAll(/^(?:name: |limit: | {2}- )(.*)$/gm)].map(([, raw = ""]) => valueOf(raw));
      const [name, first, second, limit] = raws;
      const code = { name, tags: [first, second], limit } as Parameters<typeof updatedText>[1];
      expect(updatedText(dashboards, code, present, chosen)).toEqual({ text: present, replaced: [] });
    }
  });
});
