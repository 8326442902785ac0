import { matchesGlob } from "../core/records/record-filter.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { RedactionException } from "../core/secrets.ts";
import type { NamedPlace } from "./candidates.ts";

/** Tells whether a text at a place of a record is exempt from a rule. Asks for the place only if there are exceptions. */
export type ExceptionTest = (kind: ResourceKind, placeOfText: () => NamedPlace, rule: string, text: string) => boolean;

export function createExceptionTest(exceptions: readonly RedactionException[]): ExceptionTest {
  const tests = exceptions.map(({ rule, kind, name, pointer, pattern }) => {
    const path = pointer?.split("/");
    const textPattern = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`, "u");
    return (ofKind: ResourceKind, place: NamedPlace, byRule: string, text: string): boolean =>
      (rule === undefined || rule === byRule) &&
      (kind === undefined || kind === ofKind.name) &&
      (name === undefined || place.names.includes(name)) &&
      (path === undefined || fitsPointer(path, place.pointer)) &&
      (textPattern === undefined || textPattern.test(text));
  });
  return (kind, placeOfText, rule, text) => tests.some((fits) => fits(kind, placeOfText(), rule, text));
}

/** Tells whether a pointer matches a pattern. A `*` stands for any text within one step of the path. */
function fitsPointer(pattern: readonly string[], pointer: string): boolean {
  const steps = pointer.split("/");
  return steps.length === pattern.length && steps.every((step, index) => matchesGlob(pattern[index] ?? "", step, ""));
}
