import { createHash } from "node:crypto";
import { relative } from "node:path";

/**
 * Keeps a share of the mutants, and rejects the others before a test runs for them. The seed and the mutant alone decide, so
 * the same seed keeps the same mutants, whatever else is mutated.
 * Stryker has no sampling. An ignore plugin is no substitute, because an ignored node hides all nodes inside it. A checker
 * decides about each mutant alone.
 */
class SampleChecker {
  static inject = ["options"];

  constructor({ sample }) {
    this.sample = sample;
  }

  async init() {}

  async check(mutants) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.isKept(mutant) ? KEPT : LEFT]));
  }

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  isKept({ fileName, location: { start, end }, mutatorName, replacement }) {
    const path = relative(this.sample.root, fileName);
    const place = [this.sample.seed, path, start.line, start.column, end.line, end.column];
    const digest = createHash("sha256")
      .update([...place, mutatorName, replacement].join(" "))
      .digest();
    return digest.readUInt32BE(0) / 2 ** 32 < this.sample.share;
  }
}

const KEPT = { status: "passed" };
const LEFT = { status: "compileError", reason: "not in the sample" };

export const strykerPlugins = [{ kind: "Checker", name: "sample", injectableClass: SampleChecker }];
