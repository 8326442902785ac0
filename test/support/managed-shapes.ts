import { readShapes } from "./published-shapes.ts";

export type { Shape } from "./published-shapes.ts";

/** The shapes that the managed service's owner publishes. */
export const { shapeNamed, disagreements } = readShapes("managed-shapes");
