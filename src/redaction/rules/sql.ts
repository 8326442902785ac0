import { isHarmless } from "../secret-value.ts";
import type { SecretSpan } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

/** Table functions that take credentials by position: which of their quoted arguments, counted from 0 or from the end. */
const POSITIONS: Readonly<Record<string, readonly number[]>> = {
  s3: [1, 2],
  s3cluster: [2, 3],
  gcs: [1, 2],
  iceberg: [1, 2],
  deltalake: [1, 2],
  mysql: [4],
  postgresql: [4],
  mongodb: [4],
  redis: [-1],
  remote: [-1],
  remotesecure: [-1],
  azureblobstorage: [4],
};
const BEGINNING = String.raw`\b(?:${Object.keys(POSITIONS).join("|")})\s{0,3}\(`;
const CALL = new RegExp(String.raw`${BEGINNING}([^()«\0]{1,4000})\)`, "gi");
const QUOTED = /'((?:[^'\\]|\\.|'')*)'/g;
/** Formats and compressions stand in the same places as keys do. */
const NO_KEY = /^(?:CSV|TSV|TabSeparated|JSON|Parquet|ORC|Avro|RawBLOB|auto|gzip|zstd|none|NOSIGN)/i;

/** Credentials that are positional arguments of SQL table functions: `postgresql('host', 'db', 'table', 'user', 'password')`. */
export const sqlFunctionRule: TextRule = { hint: new RegExp(BEGINNING, "i"), find: sqlFunctionSpans };

function sqlFunctionSpans(text: string): SecretSpan[] {
  if (!text.includes("('")) return [];
  return [...text.matchAll(CALL)].flatMap(({ index, 0: whole, 1: list = "" }) => {
    const name = /^\w+/.exec(whole)?.[0].toLowerCase() ?? "";
    const base = index + whole.length - 1 - list.length;
    const literals = [...list.matchAll(QUOTED)];
    // remote('host', db, table) has no credential; with user and password it has two more literals.
    const least = /^remote|^redis/.test(name) ? 3 : 1;
    if (literals.length < least) return [];
    return (POSITIONS[name] ?? []).flatMap((position) => {
      const literal = literals.at(position);
      const value = literal?.[1] ?? "";
      if (!literal || isHarmless(value) || NO_KEY.test(value) || value.length < 3) return [];
      const start = base + literal.index + 1;
      return [{ start, end: start + value.length, rule: "sql-credential" }];
    });
  });
}
