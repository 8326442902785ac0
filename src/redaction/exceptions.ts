import { fitsGlob } from "../core/records/record-filter.ts";
import type { RedactionException } from "../core/redaction-rules.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { Place } from "./candidates.ts";

/** Whether something stays although a rule would take it out. */
export type ExceptionTest = (kind: ResourceKind, place: Place, rule: string, text: string) => boolean;

export function exceptionTest(exceptions: readonly RedactionException[]): ExceptionTest {
  const tests = exceptions.map(({ rule, kind, name, pointer, pattern }) => {
    const path = pointer?.split("/");
    const whole = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`, "u");
    return (ofKind: ResourceKind, place: Place, byRule: string, text: string): boolean =>
      (rule === undefined || rule === byRule) &&
      (kind === undefined || kind === ofKind.name) &&
      (name === undefined || place.names.includes(name)) &&
      (path === undefined || fitsPointer(path, place.pointer)) &&
      (whole === undefined || whole.test(text));
  });
  return (...found) => tests.some((fits) => fits(...found));
}

/** A `*` stands for any text within one step of the way. */
function fitsPointer(pattern: readonly string[], pointer: string): boolean {
  const steps = pointer.split("/");
  return steps.length === pattern.length && steps.every((step, index) => fitsGlob(pattern[index] ?? "", step, ""));
}
