import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { rooms } from "./rooms.ts";

/** run.js sets the room. */
const { unit, behaviour, e2e } = rooms[process.env["MUTATION_ROOM"] ?? ""] ?? { unit: [], behaviour: [], e2e: [] };

/** Parts of the paths of test files, in the order in which the tests run. */
const PLACES = [
  ...unit.map((name) => `/unit/${name}`),
  ...behaviour.flatMap((subject) => [`/behaviour/${subject}.`, `/behaviour/${subject}-`, `/behaviour/${subject}/`]),
  ...e2e.map((name) => `/e2e/${name}.`),
];

/** Property tests try hundreds of values, so they run last. */
const PROPERTIES = /propert(?:y|ies)\.test\.ts$/;

/** Runs the tests that a room names first before the others, because the first test that kills a mutant ends its run. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      PROPERTIES.test(moduleId) ? PLACES.length : PLACES.findIndex((place) => moduleId.includes(place));
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** The tests that must kill a mutant: those that run in this process, from the sources, in about a second. */
export default defineConfig({
  oxc: { target: "es2023" },
  test: {
    include: [
      ...unit.flatMap((name) => [`test/unit/${name}/**/*.test.ts`, `test/unit/${name}.test.ts`]),
      ...behaviour.flatMap((subject) => [
        `test/behaviour/${subject}?(-*).test.ts`,
        `test/behaviour/${subject}/*.test.ts`,
      ]),
      ...e2e.map((name) => `test/e2e/${name}.test.ts`),
    ],
    exclude: [
      ...configDefaults.exclude,
      // These tests measure memory or time, or try thousands of values.
      "test/unit/import/plan/{plan-memory,large-plans}.test.ts",
      "test/unit/redaction/corpus.test.ts",
      "test/behaviour/writes/overwriting.test.ts",
    ],
    globalSetup: "test/support/run-temporary-folder.ts",
    setupFiles: ["test/support/isolated-home.ts", "test/mutation/preload.ts"],
    testTimeout: 90_000,
    hookTimeout: 90_000,
    retry: 0,
    sequence: { sequencer: QuickFirst },
  },
});
