import type { ResourceKind } from "../../core/resource-kind.ts";
import { kinds } from "../../kinds/registry.ts";

/**
 * Where editors find the schemas: in the package, beside a folder of files at the root of a repository. A public address under the
 * package's name would be whoever's who takes that name. Without a version, so that an upgrade changes no file.
 */
const ADDRESS = "../../node_modules/stackferry/schema/code";

/** The first line of a file: it tells editors what may stand in it, and this program what kind of record it is. */
export function schemaComment({ name }: ResourceKind): string {
  return `# yaml-language-server: $schema=${ADDRESS}/${name}.schema.json`;
}

/** The kind that a file's first line names; undefined where it names none of ours. */
export function kindOfSchemaComment(text: string): ResourceKind | undefined {
  const [, name] =
    /^\uFEFF?#\s*yaml-language-server:\s*\$schema=\S*?schema\/code\/([a-z-]+)\.schema\.json/.exec(text) ?? [];
  return kinds.find((kind) => kind.name === name);
}
