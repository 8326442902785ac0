import { array, assert, constantFrom, dictionary, integer, jsonValue, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_LIST_DEPTH, createListStream } from "../../../../src/client/lists/list-stream.ts";
import { UnusableResponseError } from "../../../../src/client/response-bytes.ts";
import type { JsonValue } from "../../../../src/core/json.ts";
import { propertyRuns } from "../../../support/tries.ts";

/** Reads a list from a text that arrives in pieces. The sizes of the pieces repeat. */
function split(text: string, sizes: readonly number[] = [7], member = "data") {
  const list = createListStream(member);
  const bytes = Buffer.from(text);
  const records: JsonValue[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    for (const { value } of list.push(bytes.subarray(at, at + size))) records.push(value);
    at += size;
  }
  return { records, rest: list.rest() };
}

const inOnePiece = [Number.MAX_SAFE_INTEGER];

describe("a list that is parsed as a stream", () => {
  test("gives the same records as JSON.parse, wherever the chunks are cut", () => {
    const sizes = array(integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    assert(
      property(
        array(jsonValue()),
        dictionary(string(), jsonValue()),
        sizes,
        integer({ min: 0, max: 3 }),
        (...given) => {
          const [data, around, steps, indent] = given;
          const before = JSON.stringify({ ...around, data: undefined, result: "x" }, undefined, indent).slice(0, -1);
          const text = `${before},"data":${JSON.stringify(data, undefined, indent)},"meta":{"total":1}}`;
          const { records, rest } = split(text, steps);
          expect(records).toEqual(JSON.parse(JSON.stringify(data)));
          expect(JSON.parse(rest)).toEqual({ ...JSON.parse(text), data: [] });
        },
      ),
      propertyRuns(),
    );
  });

  test.each([
    ["white space", '{ "data" : [ {"a":1} , 2 ] }', [{ a: 1 }, 2]],
    ["none at all", '{"data":[]}', []],
    ["a text that looks like one", '{"note":"\\"data\\":[1]","data":["],[","}"]}', ["],[", "}"]],
    ["another member of the name, deeper", '{"meta":{"data":[1]},"data":[2]}', [2]],
    ["text outside of ASCII", '{"data":[{"ü":"日本語 😀"}]}', [{ ü: "日本語 😀" }]],
  ])("%s", (_, text, expected) => {
    for (const size of [1, 2, 3, 1000]) expect(split(text, [size]).records).toEqual(expected);
  });

  test("reads quotes and backslashes in texts, wherever the chunks are cut", () => {
    const marks = array(constantFrom("\\", '"', "[", "]", "{", "}", ",", "a"), { maxLength: 12 }).map((all) =>
      all.join(""),
    );
    assert(
      property(array(marks, { maxLength: 6 }), array(integer({ min: 1, max: 4 }), { minLength: 1 }), (texts, sizes) => {
        expect(split(JSON.stringify({ data: texts }), sizes).records).toEqual(texts);
      }),
      propertyRuns(500),
    );
  });

  test("leaves the list of another member in the rest of the answer", () => {
    expect(split('{"result":[1],"x":[[2]]}')).toEqual({ records: [], rest: '{"result":[1],"x":[[2]]}' });
  });

  test("leaves a member name with escapes to JSON.parse", () => {
    const text = String.raw`{"d\u0061ta":[1]}`;
    expect(split(text)).toEqual({ records: [], rest: text });
  });

  test.each([
    '{"data":[1,]}',
    '{"data":[,1]}',
    '{"data":[1 2]}',
    '{"data":[1,{"a":]}',
    '{"data":[1,{"a"',
    '{"data":[tru',
  ])("invalid JSON stays invalid in the rest of the answer: %s", (text) => {
    for (const sizes of [[1], inOnePiece]) expect(() => JSON.parse(split(text, sizes).rest)).toThrow(SyntaxError);
  });

  test("reads no more records after invalid JSON", () => {
    for (const sizes of [[1], inOnePiece]) {
      expect(split('{"data":[1,x,2,3],"meta":[4]}', sizes)).toEqual({
        records: [1],
        rest: '{"data":[x,2,3],"meta":[4]}',
      });
    }
  });

  test("an answer with two lists of the same name is refused", () => {
    expect(() => split('{"data":[1],"data":[2]}')).toThrow('has "data" twice');
  });

  test("bytes that are not UTF-8 are refused, inside and outside a record", () => {
    for (const text of ['{"data":["X"]}', '{"data":[1],"x":"X"}']) {
      const bytes = Buffer.from(text).map((byte) => (byte === 0x58 ? 0xff : byte));
      const list = createListStream("data");
      expect(() => {
        list.push(bytes);
        list.rest();
      }).toThrow(UnusableResponseError);
    }
  });

  test("a record with a number that JavaScript cannot hold has a problem, other records have none", () => {
    const found = createListStream("data").push(
      Buffer.from('{"data":[{"id":"a","x":1.0},{"id":"b","x":9007199254740993}]}'),
    );
    expect(found.map(({ problem }) => problem === undefined)).toEqual([true, false]);
  });

  test("more white space than a record may have bytes is refused", () => {
    const list = createListStream("data");
    list.push(Buffer.from('{"data":['));
    const blank = Buffer.alloc(1024 * 1024, " ");
    const pushed = (): number => {
      for (let times = 0; ; times += 1) {
        try {
          list.push(blank);
        } catch (error) {
          expect(error).toBeInstanceOf(UnusableResponseError);
          return times;
        }
      }
    };
    expect(pushed()).toBe(16);
  });

  test.each([
    [
      "values",
      `{"data":[{},[${"{},".repeat(200_000)}0]]}`,
      "holds a record, number 2, that holds more than 75000 values",
    ],
    ["records", `{"data":[${"1,".repeat(60_000)}1]}`, "holds more than 50000 records"],
  ])("too many %s are refused", (_, text, problem) => {
    expect(() => split(text, inOnePiece)).toThrow(problem);
  });

  test("too deep nesting is refused before it is parsed", () => {
    const tower = (depth: number): string => `{"data":[${"[".repeat(depth)}${"]".repeat(depth)}]}`;
    expect(split(tower(MAX_LIST_DEPTH - 2)).records).toHaveLength(1);
    expect(() => split(tower(200_000))).toThrow(UnusableResponseError);
  });
});
