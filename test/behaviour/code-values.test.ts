import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { fillValues } from "../../src/archive/as-code/values.ts";
import { codeFileText, updateCodeFileText } from "../../src/archive/as-code/write/yaml-text.ts";
import { dashboards } from "../../src/kinds/dashboards.ts";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { exportedBoard } from "../support/code-folder.ts";
import { documentOf, runCli, type CliRun } from "../support/run-cli.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { recordsOn } from "../support/on-stack.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LATENCY = "stack/dashboards/latency.yaml";
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

/** Creates two stacks with values of their own, and one folder of files for both. */
async function valueStacks() {
  const dev = await startSandbox({ variant: "self-hosted", seed: "none" });
  const prod = await startSandbox({ variant: "self-hosted", seed: "none" });
  const cwd = temporaryFolder();
  const stack = ({ url, apiKey = "" }: Sandbox, values: object) => ({
    variant: "self-hosted",
    baseUrl: url,
    apiKey,
    values,
  });
  const stacks = {
    dev: stack(dev, { environment: "dev", limit: 900 }),
    prod: stack(prod, { environment: "prod", limit: 300, width: 12 }),
  };
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text, { mode: 0o600 });
  };
  await write("stackferry.yaml", JSON.stringify({ stacks }));
  await write(LATENCY, FILE);
  const run = (line: string): Promise<CliRun> => runCli(line.split(" "), { cwd, env: {} });
  return {
    cwd,
    run,
    apply: (to: "dev" | "prod", more = "") => run(`apply stack --to ${to}${more}`),
    write,
    boards: (name: "dev" | "prod") => recordsOn(name === "dev" ? dev : prod, "dashboards"),
    [Symbol.asyncDispose]: async () => {
      await dev.close();
      await prod.close();
    },
  };
}

describe("values of a stack in files", () => {
  const limits = { dev: 900, prod: 300 };
  const widths = { dev: 6, prod: 12 };

  it.each(["dev", "prod"] as const)(
    "are filled in with their type, a default where there is none, and a second run writes nothing: %s",
    async (stack) => {
      await using program = await valueStacks();
      expect((await program.apply(stack)).exitCode).toBe(0);
      const again = documentOf(await program.apply(stack, " --json"));
      expect(again).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
      const markdown = `Limit: ${limits[stack]} ms, and \${value:this} is text`;
      const board = { name: `Latency of ${stack}`, tiles: [{ w: widths[stack], config: { markdown } }] };
      expect(await program.boards(stack)).toMatchObject([board]);
      expect((await program.run(`diff stack ${stack} --exit-code`)).exitCode).toBe(0);
    },
  );

  it("stay in the files that an export writes onto, byte for byte", async () => {
    await using program = await valueStacks();
    await program.apply("prod");
    expect((await program.run("export --from prod --format code --out stack")).exitCode).toBe(0);
    expect(await readFile(join(program.cwd, LATENCY), "utf8")).toContain(FILE);
  });

  it("have defaults that stay as they are written inside a text", async () => {
    await using program = await valueStacks();
    await program.write(LATENCY, "name: 'Version ${value:v:-1.10} ${value:channel:-of #all}'\ntiles: []\n");
    await program.apply("dev");
    expect(await program.boards("dev")).toMatchObject([{ name: "Version 1.10 of #all" }]);
  });

  it("come from --values, too, which wins", async () => {
    await using program = await valueStacks();
    await program.write("values.yaml", "environment: test\n");
    expect((await program.apply("dev", " --values values.yaml")).exitCode).toBe(0);
    expect(await program.boards("dev")).toMatchObject([{ name: "Latency of test" }]);
  });

  it("are filled in in a dashboard that the web interface has exported, wherever it is, and are missed there", async () => {
    await using program = await valueStacks();
    const config = { displayType: "markdown", markdown: "Limit: ${value:limit}" };
    const write = (name: string): Promise<void> =>
      program.write(
        "stack/more/board.json",
        exportedBoard([{ x: 0, y: 0, w: "${value:width:-6}", h: 3, config }], { name }),
      );
    await write("Board of ${value:environment}");
    for (const stack of ["dev", "prod"] as const) {
      expect((await program.run(`apply stack/more --to ${stack}`)).exitCode).toBe(0);
      const tiles = [{ w: widths[stack], config: { markdown: `Limit: ${limits[stack]}` } }];
      expect(await program.boards(stack)).toMatchObject([{ name: `Board of ${stack}`, tiles }]);
    }
    await write("Board of ${value:environmnt}");
    const refused = await program.apply("dev");
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/board\.json:\d+:\d+: there is no value "environmnt": did you mean environment\?/);
  });

  it.each([
    ["${value:limt}", 'latency.yaml:1:7: there is no value "limt": did you mean limit?'],
    ["${value:}", "is not a placeholder"],
    ["a ${value:no such}", "is not a placeholder"],
    ["${value:limit", "is not a placeholder"],
  ])("%s is a mistake with file and line, before any request", async (name, message) => {
    await using program = await valueStacks();
    await program.write(LATENCY, `name: ${name}\ntiles: []\n`);
    await program.write("stack/dashboards/other.yaml", "name: Other\ntiles: []\n");
    const result = await program.apply("dev");
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await program.boards("dev")).toEqual([]);
  });
});

describe("an export onto files with placeholders", () => {
  const values = { limit: 300, name: "prod", on: true };
  const text = "# a comment\nname: B ${value:name}\ntags:\n  - ${value:name}\n  - x\nlimit: ${value:limit}\n";

  it("writes a plain value where the stack has another one, names it, and keeps the others", () => {
    const code = { name: "B prod", tags: ["prod", "x"], limit: 200 };
    const updated = updateCodeFileText(dashboards, code, text, values);
    expect(updated.replaced).toEqual(["${value:limit}"]);
    expect(updated.text).toContain("name: B ${value:name}\ntags:\n  - ${value:name}\n  - x\nlimit: 200\n");
  });

  it("escapes what looks like a placeholder on the stack", () => {
    const updated = updateCodeFileText(dashboards, { name: "${value:name}", tags: [], limit: 300 }, text, values);
    expect(updated.text).toContain("name: $${value:name}\n");
  });

  it.each(["see ${value:", "${value:a${value:b}", "$${value:a} ${value:}"])("reads %s of a stack as itself", (name) => {
    const document = parseDocument(codeFileText(dashboards, { name, [name]: 1 }), { version: "1.2" });
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
      const code = { name, tags: [first, second], limit } as Parameters<typeof updateCodeFileText>[1];
      expect(updateCodeFileText(dashboards, code, present, chosen)).toEqual({ text: present, replaced: [] });
    }
  });
});
