import { stat } from "node:fs/promises";
import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import { expandPacing } from "../pacing.ts";
import { exposureWarnings } from "../secrets/secret-file.ts";
import type { ConfiguredStack } from "./stack-schema.ts";
import type { StackBasis, StackCredential, StackRole } from "./stack-settings.ts";
import { DEFAULT_SEGMENTS, environmentCredential } from "./stack-settings.ts";
import { parseBaseUrl } from "./stack-url.ts";
import { expandValue, isSlot } from "../expand-values.ts";

/** One stack of the configuration file and the sources of its values. */
interface StackToFill {
  readonly name: string;
  readonly stack: ConfiguredStack;
  readonly role: StackRole;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configPath: string;
}

type Expand = (member: string, text: string) => Promise<string>;

/** Fills in a configured stack. Called only for stacks of this run, so that variables of other stacks may be missing. */
export async function fillInStack(named: StackToFill): Promise<StackBasis> {
  const { name, stack, configPath, env } = named;
  const expandMember: Expand = (member, text) => expandValue(text, `stacks.${name}.${member}`, { env, configPath });
  const { caFile } = stack;
  return {
    stackName: name,
    identity: await identityOf(named, expandMember),
    credential: await credentialOf(named, expandMember),
    segments: await segmentsOf(named, expandMember),
    pipeIds: await pipeIdsOf(named, expandMember),
    pacing: await expandPacing(stack, `stacks.${name}`, { env, configPath }),
    caFile: caFile === undefined ? undefined : await expandMember("caFile", caFile),
    allowHttp: stack.allowHttp ?? false,
    ...(stack.transforms && { transforms: stack.transforms }),
    warnings: await literalCredentials(named),
  };
}

async function identityOf({ name, stack }: StackToFill, expand: Expand): Promise<StackIdentity> {
  const baseUrl = parseBaseUrl(await expand("baseUrl", stack.baseUrl), `stacks.${name}.baseUrl`);
  if (stack.variant === "self-hosted") return { variant: stack.variant, baseUrl };
  const organizationId = await expand("organizationId", stack.organizationId);
  const serviceId = await expand("serviceId", stack.serviceId);
  return { variant: stack.variant, baseUrl, organizationId, serviceId };
}

async function credentialOf({ name, stack, role, env }: StackToFill, expand: Expand): Promise<StackCredential> {
  if (stack.variant === "self-hosted") {
    if (stack.apiKey !== undefined) return { apiKey: await expand("apiKey", stack.apiKey) };
  } else if (stack.keyId !== undefined && stack.keySecret !== undefined) {
    return { keyId: await expand("keyId", stack.keyId), keySecret: await expand("keySecret", stack.keySecret) };
  }
  return environmentCredential(stack.variant, role, env, `stack ${name}`);
}

async function segmentsOf({ name, stack }: StackToFill, expand: Expand): Promise<StackBasis["segments"]> {
  const written = stack.variant === "managed" ? stack.segments : undefined;
  const expandSegment = async (member: "stack" | "pipes"): Promise<string> => {
    const word = await expand(`segments.${member}`, written?.[member] ?? DEFAULT_SEGMENTS[member]);
    if (/^[A-Za-z0-9_-]+$/.test(word)) return word;
    const message = `stacks.${name}.segments.${member} must be one path segment of letters, digits, - and _`;
    throw new StackferryError("config", message);
  };
  return { stack: await expandSegment("stack"), pipes: await expandSegment("pipes") };
}

async function pipeIdsOf({ stack }: StackToFill, expand: Expand): Promise<string[] | undefined> {
  if (stack.variant !== "managed" || stack.pipeIds === undefined) return undefined;
  return Promise.all(stack.pipeIds.map((text, index) => expand(`pipeIds.${index}`, text)));
}

/** Warns about a key that is written into the file itself, because the file is often shared or kept in git. */
async function literalCredentials({ name, stack, configPath }: StackToFill): Promise<Warning[]> {
  const { apiKey, keyId, keySecret } = { apiKey: undefined, keyId: undefined, keySecret: undefined, ...stack };
  const literal = Object.entries({ apiKey, keySecret, keyId }).find(([, text]) => text !== undefined && !isSlot(text));
  if (literal === undefined) return [];
  const message = `${configPath} holds stacks.${name}.${literal[0]} in plain text; write \${env:NAME} or \${file:PATH}`;
  const { mode } = await stat(configPath);
  return [{ code: "literal-credential", message }, ...exposureWarnings(mode, configPath, "configuration file")];
}
