import fc from "fast-check";
import { anyCharacter } from "./any-character.ts";

/** Names that repeat, differ little or are hard to write into files. */
export const oddNames = fc.oneof(
  fc.constantFrom(
    "Logs",
    "logs",
    "LOGS",
    "Logs-2",
    "logs 2",
    "é",
    "e\u0301",
    "",
    " ",
    "a/b",
    "../x",
    "con",
    "漢字",
    "🎉",
  ),
  fc.constantFrom("two\nlines", "tab\there", "a: b # c", "- x", "null", "12", "true", "x\r\ny", "\u2028"),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: anyCharacter, maxLength: 4 }),
);
