import { isMap, isScalar, parseDocument } from "yaml";
import { StackferryError } from "../core/errors.ts";
import type { Variant } from "../core/records/record.ts";
import { quoteYamlText } from "./yaml.ts";

export interface NewStack {
  readonly name: string;
  readonly variant: Variant;
  readonly baseUrl: string;
  /** The organization and service; only for a managed stack. */
  readonly service?: { readonly organizationId: string; readonly serviceId: string };
  /** The members that hold keys: each value is `${env:NAME}` or `${file:PATH}`, never the key itself. */
  readonly keys: Readonly<Record<string, string>>;
  readonly caFile?: string;
  readonly allowHttp?: boolean;
}

const HEADER = `# Stacks by name: stackferry export --from NAME. Keys stay in variables and files, so this file can be kept in git.
# stackferry config schema prints all that may stand here.
`;

export function formatNewConfig(stack: NewStack): string {
  return `${HEADER}stacks:\n${stackText(stack, "  ")}`;
}

function stackText({ name, ...stack }: NewStack, indent: string): string {
  const lines = Object.entries(membersOf(stack)).map(([member, value]) => {
    return `${indent}  ${member}: ${typeof value === "string" ? quoteYamlText(value) : String(value)}\n`;
  });
  return `${indent}${quoteYamlText(name)}:\n${lines.join("")}`;
}

/**
 * Adds a stack to the text of a configuration file. Comments and the order of existing members stay.
 * @throws StackferryError `usage` if the file already has a stack of that name
 */
export function addStackToConfig(text: string, { name, ...stack }: NewStack, path: string): string {
  const document = parseDocument(text);
  if (document.hasIn(["stacks", name])) {
    throw new StackferryError("usage", `${path} already has a stack ${name}; it is not overwritten`, {
      hint: "give the new stack another name with --name",
    });
  }
  const stacks = document.get("stacks");
  const [first] = isMap(stacks) ? stacks.items : [];
  if (isMap(stacks) && stacks.flow !== true && stacks.range && isScalar(first?.key) && first.key.range) {
    const [start, end] = [first.key.range[0], stacks.range[1]];
    const indent = " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
    const head = text.slice(0, end);
    return `${head}${head.endsWith("\n") ? "" : "\n"}${stackText({ name, ...stack }, indent)}${text.slice(end)}`;
  }
  // An empty `{}` in the file is replaced: a stack added to `{}` would be written in flow style, which is hard to read.
  if (first === undefined) document.set("stacks", document.createNode({}));
  document.setIn(["stacks", name], document.createNode(membersOf(stack)));
  return document.toString({ lineWidth: 0 });
}

function membersOf({ service, keys, ...rest }: Omit<NewStack, "name">): Readonly<Record<string, unknown>> {
  return { ...rest, ...service, ...keys };
}
