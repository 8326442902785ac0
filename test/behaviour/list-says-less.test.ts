import { describe, expect, it } from "vitest";
import { bodiesOf } from "../support/archive-samples.ts";
import { startOddServer } from "../support/odd-server.ts";
import { documentOf, runCli } from "../support/run-cli.ts";

type Body = Readonly<Record<string, unknown>>;

const id = (letter: string, number: number): string => `${letter.repeat(23)}${number}`;
const env = { STACKFERRY_API_KEY: "key-of-this-run" };

const dashboard = (number: number, more: Body = {}): Body => ({
  id: id("d", number),
  name: `Overview ${number}`,
  tags: [],
  tiles: [
    { id: `tile-${number}`, name: "Notes", x: 0, y: 0, w: 6, h: 3, config: { displayType: "markdown", markdown: "#" } },
  ],
  ...more,
});
const alert = (number: number, more: Body): Body => ({
  id: id("a", number),
  name: `Errors ${number}`,
  threshold: 1,
  thresholdType: "above",
  interval: "5m",
  channel: { type: "webhook", webhookId: id("b", 1) },
  ...more,
});

/** A stack whose lists leave members out. `broken`: ids that no single answer has. */
function stackWith(
  kinds: Readonly<Record<string, readonly Body[]>>,
  omitted: readonly string[],
  broken: readonly string[] = [],
) {
  const asked: string[] = [];
  const server = startOddServer((request, response) => {
    const [, , , kind = "", one] = new URL(request.url ?? "", "http://localhost").pathname.split("/");
    asked.push(one === undefined ? kind : `${kind}/${one}`);
    const records = kinds[kind] ?? [];
    const single = records.find((each) => each["id"] === one);
    const data = records.map((each) =>
      Object.fromEntries(Object.entries(each).filter(([name]) => !omitted.includes(name))),
    );
    response.setHeader("content-type", "application/json");
    if (one === undefined) response.end(JSON.stringify({ data, meta: { total: data.length, limit: 1000, offset: 0 } }));
    else if (single === undefined || broken.includes(one)) response.writeHead(404).end('{"message":"Not found"}');
    else response.end(JSON.stringify({ data: single }));
  });
  return { server, asked };
}

async function exportOf(url: string) {
  const run = await runCli(["export", "--from", url, "--out", "a.zip", "--json"], { env });
  const document = documentOf(run);
  return { document, codes: (document["warnings"] as { code: string }[]).map(({ code }) => code), run };
}

describe("an export", () => {
  it("reads one record of each kind singly, and no more where the list shows all of it", async () => {
    const { server, asked } = stackWith({ dashboards: [dashboard(1), dashboard(2), dashboard(3)] }, []);
    await using stack = await server;
    const { document } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 0, kinds: { dashboards: { status: "complete", count: 3 } } });
    expect(asked.filter((path) => path.includes("/"))).toHaveLength(1);
  });

  it("reads every record singly where the list leaves a member out, and holds all of each", async () => {
    const links = [{ id: "l1", title: "Rest" }];
    const all = [
      dashboard(1),
      dashboard(2, { links, tags: ["long enough to be the fullest"] }),
      dashboard(3, { links }),
    ];
    const { server } = stackWith({ dashboards: all }, ["links"]);
    await using stack = await server;
    const { document, run } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 0, kinds: { dashboards: { status: "complete", count: 3 } } });
    const bodies = await bodiesOf(`${run.cwd}/a.zip`);
    for (const number of [2, 3]) expect(bodies).toContainEqual(expect.objectContaining({ id: id("d", number), links }));
  });

  it("reads a dashboard singly whose tiles are in containers that the list leaves out", async () => {
    const containers = [{ id: "c1", title: "Rest", collapsed: false }];
    const tiles = [
      { id: "t", name: "", x: 0, y: 0, w: 6, h: 3, containerId: "c1", config: { displayType: "markdown" } },
    ];
    const all = [
      dashboard(1, { tags: ["by far the longest of them all, and so the fullest record"] }),
      dashboard(2, { tiles, containers }),
    ];
    const { server } = stackWith({ dashboards: all }, ["containers"]);
    await using stack = await server;
    const { document, run } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 0, kinds: { dashboards: { status: "complete", count: 2 } } });
    expect(await bodiesOf(`${run.cwd}/a.zip`)).toContainEqual(expect.objectContaining({ id: id("d", 2), containers }));
  });

  it("ends with 3 and says so where not all of them can be read singly", async () => {
    const containers = [{ id: "c1", title: "Rest", collapsed: false }];
    const all = [dashboard(1, { containers: [...containers, ...containers] }), dashboard(2, { containers })];
    const { server } = stackWith({ dashboards: all }, ["containers"], [id("d", 2)]);
    await using stack = await server;
    const { document, codes } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 3, kinds: { dashboards: { status: "partial", count: 2 } } });
    expect(codes).toContain("list-says-less");
  });

  it("ends with 3 where only such a dashboard cannot be read singly, and names no member", async () => {
    const tiles = [
      { id: "t", name: "", x: 0, y: 0, w: 6, h: 3, containerId: "c1", config: { displayType: "markdown" } },
    ];
    const all = [
      dashboard(1, { tags: ["by far the longest of them all, and so the fullest record"] }),
      dashboard(2, { tiles, containers: [{ id: "c1", title: "Rest", collapsed: false }] }),
    ];
    const { server, asked } = stackWith({ dashboards: all }, ["containers"], [id("d", 2)]);
    await using stack = await server;
    const { document, codes } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 3, kinds: { dashboards: { status: "partial", count: 2 } } });
    expect(codes).toEqual(["list-says-less"]);
    expect(asked.filter((path) => path.includes("/")).toSorted()).toEqual([
      `dashboards/${id("d", 1)}`,
      `dashboards/${id("d", 2)}`,
    ]);
  });

  it("reads an alert with a chart of its own singly, and never calls it complete", async () => {
    const chartConfig = { displayType: "line" };
    const alerts = [
      alert(1, { source: "inline", chartConfig }),
      alert(2, { source: "saved_search", savedSearchId: id("e", 1), note: "x".repeat(99) }),
    ];
    const { server } = stackWith({ alerts }, ["chartConfig"]);
    await using stack = await server;
    const { document, codes, run } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 3, kinds: { alerts: { status: "partial", count: 2 } } });
    expect(codes).toContain("unknown-form");
    expect(await bodiesOf(`${run.cwd}/a.zip`)).toContainEqual(expect.objectContaining({ id: id("a", 1), chartConfig }));
  });

  it("goes on where no single record can be read, as where a deployment has lists alone", async () => {
    const { server } = stackWith({ dashboards: [dashboard(1)] }, [], [id("d", 1)]);
    await using stack = await server;
    const { document } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 0, kinds: { dashboards: { status: "complete" } }, warnings: [] });
  });
});
