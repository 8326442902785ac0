import { systemText } from "../../files/errors.ts";
import type { StateRecords } from "../../core/plan/state.ts";
import { compactJson } from "../../core/json.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import { takeLock } from "../lock-file.ts";
import type { StateLocation } from "./state-file.ts";
import { readProven, writeState } from "./state-file.ts";

/**
 * Changes the records of a target's state file, for any source. A state of another machine or another target stays unchanged.
 * @returns why it could not be changed; undefined if it was changed, or if there is no state
 */
export async function editState(
  { path, access, target }: Pick<StateLocation, "path" | "access"> & { readonly target: StackIdentity },
  edit: (records: StateRecords) => StateRecords,
): Promise<string | undefined> {
  try {
    if ((await readProven(path, access)) === undefined) return undefined;
    await using _lock = await takeLock(`${path}.lock`, { what: "state", flag: "--state" });
    const content = await readProven(path, access);
    if (content === undefined || "problem" in content) return content?.problem;
    if (compactJson({ ...content.subject.target }) !== compactJson({ ...target })) return "it is of another target";
    await writeState(path, { ...content, records: edit(content.records) }, access);
    return undefined;
  } catch (error) {
    return systemText(error);
  }
}
