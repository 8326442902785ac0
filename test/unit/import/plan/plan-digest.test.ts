import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planInto, withSecrets, type JsonObject, type RunOptions } from "../../../support/import-stage.ts";
import { dependencies, fromOtherStack } from "../../../support/import-samples.ts";
import { memoryStack } from "../../../support/memory-stack.ts";
import { alert, dashboard, hexId, linkingTable, records, tileOf, tileWith } from "../../../support/stack-records.ts";
import { propertyRuns } from "../../../support/tries.ts";

type Stack = Readonly<Record<string, readonly JsonObject[]>>;

const COUNT = 5;
const LOGS = { a: hexId("a", 1), b: hexId("b", 1) };
const HOOK = { a: hexId("a", 2), b: hexId("b", 2) };
const id = (letter: "a" | "b", number: number): string => hexId(letter, 100 + number);

/** Makes a dashboard that links to another one, and an alert on it. */
function recordsOf(letter: "a" | "b", number: number, linksTo: number, tags: readonly string[]) {
  const first = id(letter, number).slice(0, 20);
  const line = { displayType: "line", sourceId: LOGS[letter], select: [{ aggFn: "count" }] };
  const tiles = [
    tileWith(`${first}f001`, "Requests", line),
    tileWith(`${first}f002`, "Links", linkingTable(id(letter, linksTo), LOGS[letter]), { y: 3 }),
  ];
  const board = dashboard(id(letter, number), `Board ${number}`, LOGS[letter], { tiles, tags });
  const watch = alert(hexId(letter, 200 + number), `Alert ${number}`, board, HOOK[letter], { tileId: tileOf(board) });
  return { board, watch };
}

interface Case {
  readonly links: readonly number[];
  /** The dashboards that the target has, too, with other tags. */
  readonly onTarget: readonly boolean[];
}

const cases: fc.Arbitrary<Case> = fc.record({
  links: fc.array(fc.nat(COUNT - 1), { minLength: COUNT, maxLength: COUNT }),
  onTarget: fc.array(fc.boolean(), { minLength: COUNT, maxLength: COUNT }),
});

function sidesOf({ links, onTarget }: Case): { readonly ours: Stack; readonly theirs: Stack } {
  const ours = links.map((to, number) => recordsOf("a", number, to, ["new"]));
  const theirs = links.flatMap((to, number) =>
    onTarget[number] === true ? [recordsOf("b", number, to, ["old"])] : [],
  );
  const stackOf = (made: typeof ours, others: Stack): Stack => ({
    dashboards: made.map(({ board }) => board),
    alerts: made.map(({ watch }) => watch),
    ...others,
  });
  return { ours: stackOf(ours, dependencies.ours), theirs: stackOf(theirs, dependencies.theirs) };
}

/** Plans an import that overwrites what differs, and deletes what the source lacks. */
async function digestOf(ours: Stack, theirs: Stack, options: RunOptions = {}): Promise<string> {
  const usual = { ...fromOtherStack, onConflict: "overwrite", mirror: { scope: "all" } } as const;
  const plan = await planInto(memoryStack(theirs), records(ours), { ...usual, ...options, dryRun: true });
  return String(plan.digest);
}

/** Returns the stack with its lists in the order of these numbers, and with other values of what the server changes by itself. */
function reordered(stack: Stack, order: readonly number[]): Stack {
  return Object.fromEntries(
    Object.entries(stack).map(([kind, bodies]) => {
      const ranked = bodies.map((body, index) => ({ body, rank: order[index % order.length] ?? 0 }));
      const sorted = ranked.toSorted((left, right) => left.rank - right.rank).map(({ body }) => body);
      const own = kind === "alerts" ? { state: "ALERT", updatedAt: "2027-01-01T00:00:00.000Z" } : {};
      return [kind, sorted.map((body) => ({ ...body, ...own }))];
    }),
  );
}

const sample: Case = { links: [1, 0, 2, 3, 0], onTarget: [true, false, true, false, false] };

describe("the digest of a plan", () => {
  it("is the same for lists in any order, whatever the server changes by itself", async () => {
    const orders = fc.array(fc.nat(1000), { minLength: COUNT, maxLength: COUNT });
    await fc.assert(
      fc.asyncProperty(cases, orders, orders, async (sides, one, other) => {
        const { ours, theirs } = sidesOf(sides);
        expect(await digestOf(reordered(ours, one), reordered(theirs, other))).toBe(await digestOf(ours, theirs));
      }),
      propertyRuns(40),
    );
  });

  it("is another one for other content on either side, another target id, one record more, one less", async () => {
    const change = fc.record({ number: fc.nat(COUNT - 1), what: fc.constantFrom("content", "id", "more", "less") });
    await fc.assert(
      fc.asyncProperty(cases, change, async (sides, { number, what }) => {
        const before = sidesOf(sides);
        const { dashboards = [], alerts = [] } = before.ours;
        const { dashboards: present = [] } = before.theirs;
        const changes: Readonly<Record<string, Stack>> = {
          content: { dashboards: dashboards.map((body, at) => (at === number ? { ...body, tags: ["x"] } : body)) },
          id: { dashboards: dashboards.map((body, at) => (at === number ? { ...body, name: "Other" } : body)) },
          more: { dashboards: [...dashboards, dashboard(id("a", 90), "More", LOGS.a)] },
          less: { alerts: alerts.filter((_, at) => at !== number) },
        };
        const digest = await digestOf(before.ours, before.theirs);
        expect(await digestOf({ ...before.ours, ...changes[what] }, before.theirs)).not.toBe(digest);
        const [first] = present;
        if (first === undefined) return;
        const edited = [{ ...first, tags: ["edited"] }, ...present.slice(1)];
        expect(await digestOf(before.ours, { ...before.theirs, dashboards: edited })).not.toBe(digest);
      }),
      propertyRuns(40),
    );
  });

  it("does not depend on reasons, warnings and records that are kept", async () => {
    const { ours, theirs } = sidesOf(sample);
    const kept = { onConflict: "keep", mirror: undefined } as unknown as RunOptions;
    const digest = await digestOf(ours, theirs, kept);
    const edited = (theirs["dashboards"] ?? []).map((body) => ({ ...body, tags: ["edited"] }));
    expect(await digestOf(ours, { ...theirs, dashboards: edited }, kept)).toBe(digest);
    expect(await digestOf(ours, { ...theirs, dashboards: edited })).not.toBe(await digestOf(ours, theirs));
  });

  it("has nothing of a secret: other answers, and other secrets on the target, give the same digest", async () => {
    const text = (secret: string): JsonObject => ({
      displayType: "markdown",
      markdown: `https://u:${secret}@db.test/`,
    });
    const board = (letter: "a" | "b", secret: string, tags: string[]): JsonObject =>
      dashboard(id(letter, 1), "Board 1", LOGS[letter], {
        tiles: [tileWith(`${id(letter, 1).slice(0, 20)}f001`, "Text", text(secret))],
        tags,
      });
    const archive = records({ dashboards: [board("a", "«redacted:url-credential»", ["new"])], ...dependencies.ours });
    const digests = await Promise.all(
      (["hunter2", "correct-horse"] as const).map(async (secret) => {
        const { records: redacted, secrets } = withSecrets(archive, {
          [`dashboards/${id("a", 1)}`]: { "/tiles/0/config/markdown": secret },
        });
        const theirs = { dashboards: [board("b", `old-${secret}`, ["old"])], ...dependencies.theirs, alerts: [] };
        const options = { ...fromOtherStack, onConflict: "overwrite", secrets, dryRun: true } as const;
        const plan = await planInto(memoryStack(theirs), redacted, options);
        expect(plan.items.find(({ kind }) => kind === "dashboards")).toMatchObject({ action: "update" });
        return plan.digest;
      }),
    );
    expect(digests[0]).toBe(digests[1]);
  });
});
