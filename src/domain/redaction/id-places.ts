import type { ResourceKind } from "../resource-kind.ts";
import type { Path } from "./leaves.ts";

/** The two forms that ids have (field notes, "Identity across stacks"). */
export const ID = /^(?:[\da-f]{24}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Whether a value is where a record names itself, a part of it or another: an id stays an id, whatever it looks like. */
export type IdTest = (path: Path, value: string | number) => boolean;

const tests = new WeakMap<ResourceKind, IdTest>();

/** The test of a kind's ids. */
export function idTest(kind: ResourceKind): IdTest {
  const known = tests.get(kind);
  if (known) return known;
  const places = [
    "id",
    ...kind.children.map(({ member }) => `${member}[].id`),
    ...kind.references.map(({ path }) => path),
    ...kind.learned.map(({ path }) => path),
  ];
  const paths = places.map((place) => place.replaceAll("[]", ".[]").split("."));
  const test: IdTest = (path, value) =>
    typeof value === "string" &&
    (path.length === 1 || ID.test(value)) &&
    paths.some((steps) => steps.length === path.length && steps.every((step, index) => fits(step, path[index])));
  tests.set(kind, test);
  return test;
}

function fits(step: string, token: string | number | undefined): boolean {
  return step === "[]" ? typeof token === "number" : step === token;
}
