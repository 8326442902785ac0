import { describe, expect, it } from "vitest";
import { createListDecoder, decodeWhole, openEnvelope } from "../../../src/client/envelope.ts";
import type { StackRequest, StackResponse } from "../../../src/client/request.ts";
import type { JsonObject } from "../../../src/core/json.ts";

const response = (status = 200, text = "{}", headers: Record<string, string> = {}): StackResponse => ({
  status,
  text,
  headers: new Headers(headers),
});
const decode = (body: JsonObject, headers: Record<string, string> = {}) =>
  createListDecoder("self-hosted")(body, response(200, "{}", headers));

describe("the total of a list", () => {
  it("is a number, or its digits", () => {
    expect(decode({ data: [{}], meta: { total: 5 } })).toMatchObject({ total: 5 });
    expect(decode({ data: [{}], meta: { total: "5" } })).toMatchObject({ total: 5 });
    expect(decode({ data: [{}] }, { "x-total-count": "5" })).toMatchObject({ total: 5 });
    expect(decode({ data: [{}], meta: { total: null } })?.total).toBeUndefined();
  });

  it.each([5.5, -1, "five", "", true, {}])("that is %j makes the answer unusable", (total) => {
    expect(decode({ data: [{}], meta: { total } })).toBeUndefined();
  });
});

describe("an empty list", () => {
  it.each<[string, JsonObject]>([
    ["an error's text", { error: "forbidden" }],
    ["no success", { success: false, message: "no" }],
    ["an error's object", { error: { code: 7 } }],
  ])("beside %s is a failure", (_beside, beside) => {
    expect(decode({ data: [], ...beside })).toBeUndefined();
  });

  it("beside a success member or an empty error is a list", () => {
    expect(decode({ data: [], error: null, success: true })).toMatchObject({ records: [] });
    expect(decode({ data: [], error: "" })).toMatchObject({ records: [] });
  });
});

it("a partial answer (206) is refused", () => {
  const request = { method: "GET", path: "/api/v2/dashboards", writes: false } as StackRequest;
  const open = (status: number) => openEnvelope(request, response(status), decodeWhole, (text) => text);
  expect(open(206)).toMatchObject({ ok: false, retry: "never" });
  expect(open(200)).toMatchObject({ ok: true });
});
