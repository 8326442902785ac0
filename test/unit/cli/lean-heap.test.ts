import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

/** Makes 200,000 objects that are kept, and says how large V8's nursery has become. In a process of its own: flags are for all of it. */
const program = (before: string): string => `
  import { getHeapSpaceStatistics } from "node:v8";
  import { leanHeap } from "./dist/cli/lean-heap.js";
  ${before}
  const kept = Array.from({ length: 200_000 }, (_, number) => ({ number, text: "no " + number }));
  const nursery = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  console.log(kept.length === 0 ? 0 : nursery.space_size / 1_000_000);
`;

async function nurseryMb(before: string): Promise<number> {
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", program(before)]);
  expect(stderr).toBe("");
  return Number(stdout);
}

it("keeps the nursery of V8 from growing until it is ended, and says nothing", async () => {
  const [lean, ended] = await Promise.all([nurseryMb("leanHeap();"), nurseryMb("leanHeap()();")]);
  expect(lean).toBeLessThan(4);
  expect(ended).toBeGreaterThan(8);
});
