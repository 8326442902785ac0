import { describe, expect, it } from "vitest";
import {
  emptySeed,
  isWrite,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { documentOf } from "../../support/run-cli.ts";
import { dashboard, hexId, targetIds } from "../../support/stack-records.ts";
import { expectHidden } from "./hidden.ts";

type Body = Record<string, unknown>;

/** Sets up the program with a target that has one dashboard of the archive with another tag. */
const programWithEdited = () =>
  programWithArchive({
    ...emptySeed("b"),
    dashboards: [dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] })],
  });

/** Changes the dashboards in the target's responses to this method. Returns a list to which the route of each write is added. */
function changeResponses(program: ProgramWithArchive, method: "GET" | "POST", change: (body: Body) => Body): string[] {
  const writes: string[] = [];
  program.watch = async (request, proceed) => {
    if (isWrite(request)) writes.push(request.route);
    const response = await proceed();
    if (request.method !== method || !request.route.includes("dashboards") || !response.ok) return response;
    const answer = (await response.json()) as { data: Body | Body[] };
    const data = Array.isArray(answer.data) ? answer.data.map(change) : change(answer.data);
    return Response.json({ ...answer, data });
  };
  return writes;
}

describe("an id that holds the credential of the run", () => {
  const inBase64 = (key: string): string => Buffer.from(`x:${key}`).toString("base64");
  it.each<[string, form: (key: string) => string, change: (body: Body, id: string) => Body]>([
    ["that of a record", (key) => key, (body, id) => ({ ...body, id })],
    ["that of a record, in base64", inBase64, (body, id) => ({ ...body, id })],
    [
      "that of a tile",
      (key) => key,
      (body, id) => ({ ...body, tiles: (body["tiles"] as Body[]).map((tile) => ({ ...tile, id })) }),
    ],
  ])("is written nowhere if a create is answered with it: %s (secret-in-output)", async (_, form, change) => {
    await using program = await programWithArchive();
    const id = form(program.to.apiKey ?? "");
    changeResponses(program, "POST", (body) => change(body, id));
    const run = await program.import("--report", "r.html");
    expect(run.exitCode).toBe(3);
    expect(outcomesOf(run).some(({ code }) => code === "secret-in-output")).toBe(true);
    await expectHidden(id, run);
    await expectHidden(program.to.apiKey ?? "", run);
  });

  it("ends the run before anything is written if a list has it", async () => {
    await using program = await programWithEdited();
    const writes = changeResponses(program, "GET", (body) => ({ ...body, id: program.to.apiKey }));
    const run = await program.import("--on-conflict", "overwrite");
    expect(documentOf(run)).toMatchObject({ exitCode: 1, error: { code: "secret-in-output" } });
    expect(writes).toEqual([]);
    await expectHidden(program.to.apiKey ?? "", run);
  });
});

it("what an update replaces is kept in the journal without the credential of the run", async () => {
  await using program = await programWithEdited();
  changeResponses(program, "GET", (body) => ({ ...body, tags: [`see ${program.to.apiKey}`] }));
  const run = await program.import("--on-conflict", "overwrite");
  expect(program.entries().some(({ write }) => write === "update")).toBe(true);
  await expectHidden(program.to.apiKey ?? "", run);
});
