import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** An issue in the words of the servers, which were written against an older zod (recordings 14, 37, 57, 103, 209). */
export function issueMessage(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeMessage(issue.expected, issue.input);
    case "invalid_value":
      return valueMessage(issue.values, issue.input);
    case "too_big":
      return sizeMessage(issue.origin, Number(issue.maximum), "most", "less");
    case "too_small":
      return sizeMessage(issue.origin, Number(issue.minimum), "least", "greater");
    case "unrecognized_keys":
      return `Unrecognized key(s) in object: ${issue.keys.map((key) => `'${key}'`).join(", ")}`;
    default:
      return issue.message;
  }
}

function typeMessage(expected: string, input: unknown): string {
  if (input === undefined) return "Required";
  if (expected === "int") return "Expected integer, received float";
  return `Expected ${expected}, received ${typeOf(input)}`;
}

function typeOf(input: unknown): string {
  if (input === null) return "null";
  if (Number.isNaN(input)) return "nan";
  return Array.isArray(input) ? "array" : typeof input;
}

function valueMessage(values: readonly unknown[], input: unknown): string {
  if (values.length === 1) return `Invalid literal value, expected ${JSON.stringify(values[0])}`;
  if (input === undefined) return "Required";
  const options = values.map((value) => `'${String(value)}'`).join(" | ");
  if (typeof input !== "string") return `Expected ${options}, received ${typeOf(input)}`;
  return `Invalid enum value. Expected ${options}, received '${input}'`;
}

function sizeMessage(origin: string, bound: number, extreme: "most" | "least", side: "less" | "greater"): string {
  if (origin === "string") return `String must contain at ${extreme} ${bound} character(s)`;
  if (origin === "array") return `Array must contain at ${extreme} ${bound} element(s)`;
  return `Number must be ${side} than or equal to ${bound}`;
}
