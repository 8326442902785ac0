import { fitsGlob } from "../fits-glob.ts";
import type { ResourceKind } from "../resource-kind.ts";
import type { Leaf } from "./leaves.ts";
import type { RedactionException } from "./redaction-policy.ts";

/** Whether something stays although a rule would take it out. */
export type ExceptionTest = (kind: ResourceKind, leaf: Leaf, rule: string, text: string) => boolean;

/** Makes the test of a team's exceptions. */
export function exceptionTest(exceptions: readonly RedactionException[]): ExceptionTest {
  const tests = exceptions.map(({ rule, kind, name, pointer, pattern }) => {
    const path = pointer?.split("/");
    const whole = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`, "u");
    return (ofKind: ResourceKind, leaf: Leaf, byRule: string, text: string): boolean =>
      (rule === undefined || rule === byRule) &&
      (kind === undefined || kind === ofKind.name) &&
      (name === undefined || leaf.names.includes(name)) &&
      (path === undefined || fitsPointer(path, leaf.pointer)) &&
      (whole === undefined || whole.test(text));
  });
  return (...found) => tests.some((fits) => fits(...found));
}

/** A `*` stands for any text within one step of the way. */
function fitsPointer(pattern: readonly string[], pointer: string): boolean {
  const steps = pointer.split("/");
  return steps.length === pattern.length && steps.every((step, index) => fitsGlob(pattern[index] ?? "", step, ""));
}
