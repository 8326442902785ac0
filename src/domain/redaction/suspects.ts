import { isJsonArray } from "../json.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { NameTest } from "./assigned-spans.ts";
import { isNamedBeside, namesBeside } from "./leaves.ts";
import type { Path } from "./leaves.ts";
import { LEAST_NUMBER } from "./named-secret.ts";
import { remembered } from "./remembered.ts";

/** A string or number that may be a secret, by its name or by what is in it. */
export interface Suspect {
  readonly value: string | number;
  readonly path: Path;
  /** Of a text: which rules may find something in it. */
  readonly signs: number;
}

/** What a member's name says of what is in it. */
interface Member {
  readonly credential: boolean;
  readonly namedBeside: boolean;
}

/**
 * Makes the one walk that every record is taken through. It makes no pointer and no list of names and looks at each
 * character once, since nearly all of what it passes is no secret.
 */
export function suspectSearch(named: NameTest, signsOf: (text: string) => number): (body: JsonObject) => Suspect[] {
  const memberOf = remembered((name): Member => {
    return { credential: named(name) !== undefined, namedBeside: isNamedBeside(name) };
  });
  return (body) => {
    const suspects: Suspect[] = [];
    const path: (string | number)[] = [];
    /** @param isNamed some name around says credential */
    const look = (value: JsonValue | undefined, isNamed: boolean): void => {
      if (typeof value === "string") {
        const signs = signsOf(value);
        if (signs !== 0 || isNamed) suspects.push({ value, path: [...path], signs });
      } else if (typeof value === "number") {
        if (isNamed && value >= LEAST_NUMBER) suspects.push({ value, path: [...path], signs: 0 });
      } else if (isJsonArray(value)) lookThrough(value, isNamed);
      else if (typeof value === "object" && value !== null) lookInside(value, isNamed);
    };
    const lookThrough = (items: readonly JsonValue[], isNamed: boolean): void => {
      for (let index = 0; index < items.length; index += 1) {
        path.push(index);
        look(items[index], isNamed);
        path.pop();
      }
    };
    const lookInside = (object: JsonObject, isNamed: boolean): void => {
      // JSON has no inherited members, and this is several times as fast as a list of the names.
      for (const name in object) {
        const member = memberOf(name);
        const beside = member.namedBeside && namesBeside(object).some((other) => named(other) !== undefined);
        path.push(name);
        look(object[name], isNamed || member.credential || beside);
        path.pop();
      }
    };
    look(body, false);
    return suspects;
  };
}
