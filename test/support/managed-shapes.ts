import { readShapes } from "./published-shapes.ts";

export type { Shape } from "./published-shapes.ts";

/** The shapes that the owner of the managed service publishes. */
export const { shapeNamed, disagreements } = readShapes("managed-shapes");
