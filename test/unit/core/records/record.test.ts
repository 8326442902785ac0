import { expect, it } from "vitest";
import type { StackIdentity } from "../../../../src/core/records/record.ts";
import { isSameStack } from "../../../../src/core/records/record.ts";

const own: StackIdentity = { variant: "self-hosted", baseUrl: "http://one.test" };
const service: StackIdentity = { variant: "managed", baseUrl: "http://one.test", organizationId: "o", serviceId: "s" };

it.each<[string, StackIdentity, StackIdentity, boolean]>([
  ["the same address", own, { ...own }, true],
  ["another address", own, { ...own, baseUrl: "http://two.test" }, false],
  ["the same address of another variant", own, { ...own, variant: "managed" }, false],
  ["the same service by another way", service, { ...service, baseUrl: "http://two.test" }, true],
  ["another service", service, { ...service, serviceId: "t" }, false],
  ["a service of that name in another organization", service, { ...service, organizationId: "p" }, false],
  ["a service at the address of what is none", { variant: "managed", baseUrl: "http://one.test" }, service, false],
])("%s: one stack or two, whichever comes first", (_, left, right, isOne) => {
  expect(isSameStack(left, right)).toBe(isOne);
  expect(isSameStack(right, left)).toBe(isOne);
});
