import { createHmac } from "node:crypto";
import { StackferryError } from "../core/errors.ts";

// Each line of a journal ends with a code, made with this machine's key from the line and all lines before it. So the code of the
// last line proves the whole journal. An attacker who sends an archive with a forged journal does not have the key.

const CODE = /,"mac":"([0-9a-f]{64})"\}$/;

/** Splits a line into its text without the code, and the code. */
export function splitSeal(line: string): { readonly body: string; readonly mac: string | undefined } {
  const mac = CODE.exec(line)?.[1];
  return { body: mac === undefined ? line : line.replace(CODE, "}"), mac };
}

/** Seals lines in sequence. */
export class SealChain {
  readonly #key: Buffer;
  #last = "";

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Returns the code of the next line. */
  nextCode(body: string): string {
    this.#last = createHmac("sha256", this.#key).update(`${this.#last}\n${body}`).digest("hex");
    return this.#last;
  }

  /** Continues the chain with a journal's lines. Tells whether the last of them was sealed with this key. */
  follow(lines: readonly string[]): boolean {
    let proven = true;
    for (const line of lines) {
      const { body, mac } = splitSeal(line);
      proven = this.nextCode(body) === mac;
    }
    return proven;
  }

  /** Adds the codes to the lines and stores them with `store`. If that fails, the chain does not change. */
  async seal(bodies: readonly string[], store: (lines: string[]) => Promise<void>): Promise<void> {
    const before = this.#last;
    try {
      await store(bodies.map((body) => `${body.slice(0, -1)},"mac":"${this.nextCode(body)}"}`));
    } catch (error) {
      this.#last = before;
      throw error;
    }
  }
}

/** The error for a journal that may be forged: it lists records to delete. */
export function unprovenJournal(path: string, lines: readonly string[]): StackferryError {
  const isSealed = splitSeal(lines.at(-1) ?? "").mac !== undefined;
  const why = isSealed
    ? "was made on another machine or by another user, or was changed since"
    : "has no proof of who made it: it is of an earlier version, or was made where no key can be kept";
  const hint =
    "If you know that it is yours, name it with --journal and add --accept-foreign-journal (a rollback needs only the second). " +
    "Otherwise move it away.";
  return new StackferryError("journal", `the journal ${path} ${why}`, { hint });
}
