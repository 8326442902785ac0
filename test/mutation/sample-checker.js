import { createHash } from "node:crypto";
import { relative } from "node:path";

/**
 * Keeps a share of the mutants and turns the others away before a test is run for them. Whether a mutant is kept hangs
 * on the seed and on the mutant itself, so the same seed keeps the same ones, whatever else is mutated.
 *
 * Stryker has no sampling. An ignore plugin cannot serve: whoever ignores a node ignores all that is in it. A checker is
 * asked about each mutant by itself.
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
