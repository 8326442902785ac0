import { archiveOf } from "../../support/import-samples.ts";
import { bodiesSentTo, type JsonObject } from "../../support/import-stage.ts";
import { lostAnswerError, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { archiveIds, dashboard, hexId } from "../../support/stack-records.ts";

// Dashboards of one name and one content: nothing but its id tells which create made a dashboard.

export const twin = (number: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), "Twin", archiveIds.source, more);
export const [one, both] = [archiveOf(twin(16)), archiveOf(twin(16), twin(17))];

export const creates = (stack: MemoryStack): number => bodiesSentTo(stack, "create dashboards").length;
export const idsIn = (stack: MemoryStack): string[] => recordsOn(stack, "dashboards").map(({ id }) => String(id));

export const lose = (): never => {
  throw lostAnswerError();
};

/** Calls `act` at the nth create: before the server carries it out (`intercept`) or after (`interceptAfter`). */
export function atCreate(stack: MemoryStack, when: "intercept" | "interceptAfter", nth: number, act: () => void): void {
  let count = 0;
  stack[when] = (operation) => {
    if (operation === "create dashboards" && (count += 1) === nth) act();
  };
}
