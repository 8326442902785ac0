import { describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { recordOn } from "../../support/on-stack.ts";
import { redactedRecord } from "../../support/redacted-record.ts";
import { webhook, archiveIds } from "../../support/stack-records.ts";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox } from "../../support/start-sandbox.ts";
import { documentOf, runCli } from "../../support/run-cli.ts";
import { journalsIn } from "../../support/program-with-archive.ts";
import { sandboxEnv } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const textAfter = async (text: string): Promise<unknown> => (await redactedRecord("dashboards", { text }))["text"];

describe("a value behind a name that says password", () => {
  it.each(["hunter2x", "S3cret!x", "123456"])("is taken out: %s", async (value) => {
    expect(await textAfter(`the password: ${value}`)).toBe("the password: «redacted:assigned-secret»");
  });

  it.each([
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "12:30",
    "1234.5ms",
    "10.25%",
    "30s",
    "settings.database.password",
    "os.getenv(x)",
    "true",
    "$1",
    "<your-password>",
  ])("is left where it is a date, a measure, a column, a call or a stand-in: %s", async (value) => {
    expect(await textAfter(`the password: ${value}`)).toBe(`the password: ${value}`);
  });
});

describe("a value behind a name that says token", () => {
  it.each(["q8Zr2Lw0Xy7Kd5Tn", "QwErTyUiOpAsDfGhJkLzXcVb"])(
    "is taken out where it was drawn by lot: %s",
    async (value) => {
      expect(await textAfter(`the token: ${value}`)).toBe("the token: «redacted:assigned-secret»");
    },
  );

  it.each([
    "123456",
    "aBcDeFgHiJkLmN",
    "someVeryLongCamelCaseNameForThings",
    "service_name_2",
    "aAaAaAaAaAaAaAaAaAaAaAaAaA",
  ])("is left where it looks like a word or a number: %s", async (value) => {
    expect(await textAfter(`the token: ${value}`)).toBe(`the token: ${value}`);
  });
});

describe("the address of a webhook", () => {
  const urlAfter = async (url: string): Promise<unknown> =>
    (await redactedRecord("webhooks", { ...webhook(archiveIds.webhook, "oncall"), url }))["url"];

  it("keeps its origin only, and is the same when it is redacted again", async () => {
    const redacted = await urlAfter("https://hooks.example.com/in/1?key=x");
    expect(redacted).toBe("https://hooks.example.com/«redacted:webhook-url»");
    expect(await urlAfter(String(redacted))).toBe(redacted);
  });

  it("is left where it is nothing but an origin", async () => {
    expect(await urlAfter("https://hooks.example.com")).toBe("https://hooks.example.com");
  });

  it("is taken out whole where it has no origin", async () => {
    expect(await urlAfter("data:text/plain,secret")).toBe("«redacted:webhook-url»");
  });
});

const board = (number: number, name: string, markdowns: readonly string[]) => ({
  id: String(number).repeat(24),
  name,
  tags: [],
  filters: [],
  tiles: markdowns.map((markdown, index) => ({
    id: `${String(number).repeat(22)}f${index}`,
    name: "Notes of sre 1",
    x: 0,
    y: 4 * index,
    w: 6,
    h: 4,
    config: { displayType: "markdown", markdown },
  })),
});

describe.each(["1", "sre", "correct horse", "hunter2-Tr0ub4dor-9"])("a value %j that is filled in", (secret) => {
  it("is redacted if it was filled in, and a rollback restores a record with its text elsewhere", async () => {
    const login = "admin, password: hunter7-Qr0ub4dor-3, then ask sre 1";
    const plain = "Call sre 1 at once, correct horse";
    const dashboards = [board(1, "Login", [plain, login]), board(2, "Plain", [plain])];
    await using from = await startSandbox({ variant: "self-hosted", seed: { dashboards } });
    await using to = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const cwd = temporaryFolder();
    const env = sandboxEnv(from, to);
    const run = (words: string) => runCli(words.split(" "), { env, cwd });
    const ferry = async (name: string, ...more: string[]) => {
      await run(`export --from ${from.stack} --out ${name}.zip --quiet`);
      const words = `import ${name}.zip --to ${to.stack} --on-conflict overwrite --json`;
      return documentOf(await run([words, ...more].join(" ")));
    };
    await ferry("a", "--dry-run --draft-secrets secrets.yaml");
    const draft = await readFile(join(cwd, "secrets.yaml"), "utf8");
    await writeFile(join(cwd, "secrets.yaml"), draft.replace(`: ""`, `: ${JSON.stringify(secret)}`));
    expect(await ferry("a", "--secrets secrets.yaml --yes")).toMatchObject({ exitCode: 0, counts: { create: 2 } });
    // Somebody reverses the order of the tiles on the target, and the source changes.
    const { tiles = [], name = "" } = await recordOn(to, "dashboards", "Login");
    const { id: target } = await recordOn(to, "dashboards", "Login");
    await callSandbox(to, "PUT", `dashboards/${target}`, { name, tiles: (tiles as never[]).toReversed() });
    const before = await recordOn(to, "dashboards", "Plain");
    for (const { id, ...body } of dashboards) {
      await callSandbox(from, "PUT", `dashboards/${id}`, { ...body, tags: ["changed"] });
    }
    expect(await ferry("b", "--secrets secrets.yaml --yes")).toMatchObject({
      exitCode: 0,
      counts: { update: 2 },
    });
    const [path = ""] = journalsIn(cwd);
    const journal = await readFile(path, "utf8");
    expect(journal).toContain("password: «redacted:assigned-secret», then");
    expect(journal).not.toContain(`password: ${secret}`);
    const undone = documentOf(await run(`rollback --to ${to.stack} --run 2 --yes --json`));
    expect(undone["outcomes"]).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ name: "Plain", action: "update", status: "done" }),
        expect.objectContaining({ name: "Login", action: "update", status: "done" }),
      ]),
    );
    const { updatedAt: _now, ...after } = await recordOn(to, "dashboards", "Plain");
    const { updatedAt: _then, ...was } = before;
    expect(after).toEqual(was);
    // The journal does not have the secret: the record's own is kept.
    expect(JSON.stringify(await recordOn(to, "dashboards", "Login"))).toContain(`password: ${secret}, then`);
  });
});
