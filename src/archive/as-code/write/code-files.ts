import { recordKey, type StackRecord, type Variant } from "../../../core/records/record.ts";
import { findKind } from "../../../kinds/registry.ts";
import { codeOfRecord } from "../code-of-record.ts";
import { labelRecords } from "./file-keys.ts";
import { codeFileText } from "./yaml-text.ts";

export interface CodeFile {
  /** `<kind>/<name>.yaml` */
  readonly path: string;
  readonly text: string;
}

/** Returns the files of all records of a stack, as an export into a new folder writes them. Equal stacks get equal files. */
export function codeFilesOf(records: readonly StackRecord[], variant: Variant): CodeFile[] {
  const { labels, names } = labelRecords(records);
  return records.flatMap((record) => {
    const kind = findKind(record.kind);
    const label = labels.get(recordKey(record.kind, record.id));
    if (kind === undefined || label === undefined) return [];
    const code = codeOfRecord(kind, record.body, label, names, variant);
    return [{ path: `${kind.name}/${label.slug}.yaml`, text: codeFileText(kind, code) }];
  });
}
