import type { ResourceKind } from "../../core/resource-kind.ts";
import { kinds } from "../../kinds/registry.ts";

/**
 * The path at which editors find the schemas: inside the package, relative to a folder of files at the root of a repository. A
 * public address under the package's name would belong to anyone who claims that name. The path has no version, so that an upgrade
 * changes no file.
 */
const ADDRESS = "../../node_modules/stackferry/schema/code";

/** Returns the first line of a file: it tells editors the schema, and this program the record's kind. */
export function schemaComment({ name }: ResourceKind): string {
  return `# yaml-language-server: $schema=${ADDRESS}/${name}.schema.json`;
}

/** Returns the kind that a file's first line names; undefined if it names none of ours. */
export function kindOfSchemaComment(text: string): ResourceKind | undefined {
  const [, name] =
    /^\uFEFF?#\s*yaml-language-server:\s*\$schema=\S*?schema\/code\/([a-z-]+)\.schema\.json/.exec(text) ?? [];
  return kinds.find((kind) => kind.name === name);
}
