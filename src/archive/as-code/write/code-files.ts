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

/**
 * Returns a function from all records of a stack to their files, as an export into a new folder writes them. Equal stacks get equal
 * files. YAML takes long to write, so the text of a record that is the same as in the stack before is taken from there.
 */
export function createCodeFiles(): (records: readonly StackRecord[], variant: Variant) => CodeFile[] {
  let before = new Map<string, string>();
  return (records, variant) => {
    const { labels, names } = labelRecords(records);
    const texts = new Map<string, string>();
    const files = records.flatMap((record) => {
      const kind = findKind(record.kind);
      const label = labels.get(recordKey(record.kind, record.id));
      if (kind === undefined || label === undefined) return [];
      const code = codeOfRecord(kind, record.body, label, names, variant);
      const key = `${kind.name} ${JSON.stringify(code)}`;
      const text = before.get(key) ?? codeFileText(kind, code);
      texts.set(key, text);
      return [{ path: `${kind.name}/${label.slug}.yaml`, text }];
    });
    before = texts;
    return files;
  };
}
