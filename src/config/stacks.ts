import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { Warning } from "../core/outcome.ts";
import type { StackIdentity } from "../core/record.ts";
import { closestName } from "../core/similarity.ts";
import type { Config } from "./load-config.ts";
import type { Pacing } from "./pacing.ts";
import { expandPacing, mergePacing, pacingOfEnvironment } from "./pacing.ts";
import type { ConfiguredStack } from "./stack-schema.ts";
import type { StackBasis, StackCredential, StackRole, StackSettings } from "./stack-settings.ts";
import { environmentCredential } from "./stack-settings.ts";
import { isStackUrl, parseBaseUrl, parseStackUrl } from "./stack-url.ts";
import { expandValue, exposure, isSlot } from "./values.ts";

/** What a STACK is resolved with, weakest layer first: the file, the environment, the flags. */
export interface StackSources {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Pacing & { readonly caFile?: string | undefined; readonly allowHttp?: boolean | undefined };
  readonly cwd: string;
}

const DEFAULT_SEGMENTS = { stack: "obsstack", pipes: "pipes" } as const;

/**
 * Turns a STACK argument, a name of the configuration file or an address, into settings.
 * @throws StackferryError `config` for an unknown name, a wrong address, or a credential that is not there.
 */
export async function resolveStack(reference: string, role: StackRole, sources: StackSources): Promise<StackSettings> {
  const basis = isStackUrl(reference)
    ? addressedStack(reference, role, sources)
    : await namedStack(reference, role, sources);
  const { pacing, caFile: configuredCa, ...rest } = basis;
  const { config, env, flags, cwd } = sources;
  const defaults = await expandPacing(config.defaults, "defaults", { env, configPath: config.path ?? "" });
  const caFile = flags.caFile === undefined ? configuredCa : resolve(cwd, flags.caFile);
  return {
    ...rest,
    ...mergePacing([defaults, pacing, pacingOfEnvironment(env), flags]),
    ...(caFile === undefined ? {} : { ca: await readCertificates(caFile) }),
    allowHttp: flags.allowHttp ?? rest.allowHttp,
  };
}

function addressedStack(address: string, role: StackRole, sources: StackSources): StackBasis {
  const identity = parseStackUrl(address, role === "any" ? "STACK" : `--${role}`);
  return {
    label: labelOf(identity),
    identity,
    credential: environmentCredential(identity.variant, role, sources.env, identity.baseUrl),
    segments: DEFAULT_SEGMENTS,
    pipeIds: [],
    pacing: {},
    allowHttp: false,
    warnings: [],
  };
}

async function namedStack(name: string, role: StackRole, sources: StackSources): Promise<StackBasis> {
  const { config, env } = sources;
  const stack = config.stacks.get(name);
  if (stack === undefined || config.path === undefined) throw unknownStack(name, config);
  const basis = await resolveNamedStack({
    name,
    stack,
    role,
    env,
    configPath: config.path,
    segments: DEFAULT_SEGMENTS,
  });
  const { caFile } = basis;
  return { ...basis, caFile: caFile === undefined ? undefined : resolve(dirname(config.path), caFile) };
}

function unknownStack(name: string, config: Config): StackferryError {
  const known = [...config.stacks.keys()];
  const meant = closestName(name, known);
  const list = known.length === 0 ? "there are none" : `it has ${known.join(", ")}`;
  const where = config.path === undefined ? "there is no stackferry.yaml here" : `${config.path}: ${list}`;
  const hint = meant === undefined ? "give the name of a configured stack, or an address" : `did you mean ${meant}?`;
  return new StackferryError("config", `unknown stack "${name}" (${where})`, { hint });
}

/** A name for a stack that is known by its address only: safe in a file name. */
export function labelOf(identity: StackIdentity): string {
  const repository = identity.serviceId ?? new URL(identity.baseUrl).host;
  return repository.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|-+$/g, "") || "stack";
}

async function readCertificates(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new StackferryError("config", `the certificate file ${path} cannot be read`, {
      cause,
      hint: "give the path of a PEM file",
    });
  }
}

/** One stack of the configuration file and what its values are filled in from. */
export interface NamedStack {
  readonly name: string;
  readonly stack: ConfiguredStack;
  readonly role: StackRole;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configPath: string;
  /** What holds where the file does not say. */
  readonly segments: { readonly stack: string; readonly pipes: string };
}

type Expand = (member: string, text: string) => Promise<string>;

/** Fills in a configured stack. Only the stacks of this run come here, so variables of the others may be missing. */
async function resolveNamedStack(named: NamedStack): Promise<StackBasis> {
  const { name, stack, configPath, env } = named;
  const expand: Expand = (member, text) => expandValue(text, `stacks.${name}.${member}`, { env, configPath });
  const { caFile } = stack;
  return {
    label: name,
    identity: await identityOf(named, expand),
    credential: await credentialOf(named, expand),
    segments: await segmentsOf(named, expand),
    pipeIds: stack.variant === "managed" ? await expandAll(stack.pipeIds ?? [], "pipeIds", expand) : [],
    pacing: await expandPacing(stack, `stacks.${name}`, { env, configPath }),
    caFile: caFile === undefined ? undefined : await expand("caFile", caFile),
    allowHttp: stack.allowHttp ?? false,
    warnings: await literalCredentials(named),
  };
}

async function identityOf({ name, stack }: NamedStack, expand: Expand): Promise<StackIdentity> {
  const baseUrl = parseBaseUrl(await expand("baseUrl", stack.baseUrl), `stacks.${name}.baseUrl`);
  if (stack.variant === "self-hosted") return { variant: stack.variant, baseUrl };
  const organizationId = await expand("organizationId", stack.organizationId);
  const serviceId = await expand("serviceId", stack.serviceId);
  return { variant: stack.variant, baseUrl, organizationId, serviceId };
}

async function credentialOf({ name, stack, role, env }: NamedStack, expand: Expand): Promise<StackCredential> {
  if (stack.variant === "self-hosted") {
    if (stack.apiKey !== undefined) return { apiKey: await expand("apiKey", stack.apiKey) };
  } else if (stack.keyId !== undefined && stack.keySecret !== undefined) {
    return { keyId: await expand("keyId", stack.keyId), keySecret: await expand("keySecret", stack.keySecret) };
  }
  return environmentCredential(stack.variant, role, env, `stack ${name}`);
}

async function segmentsOf({ name, stack, segments }: NamedStack, expand: Expand): Promise<NamedStack["segments"]> {
  const written = stack.variant === "managed" ? stack.segments : undefined;
  const segment = async (member: "stack" | "pipes"): Promise<string> => {
    const word = await expand(`segments.${member}`, written?.[member] ?? segments[member]);
    if (/^[A-Za-z0-9_-]+$/.test(word)) return word;
    const message = `stacks.${name}.segments.${member} must be one path segment of letters, digits, - and _`;
    throw new StackferryError("config", message);
  };
  return { stack: await segment("stack"), pipes: await segment("pipes") };
}

async function expandAll(texts: readonly string[], member: string, expand: Expand): Promise<string[]> {
  return Promise.all(texts.map((text, index) => expand(`${member}.${index}`, text)));
}

/** The file is often shared or kept in git, so a key written straight into it is worth a word. */
async function literalCredentials({ name, stack, configPath }: NamedStack): Promise<Warning[]> {
  const { apiKey, keyId, keySecret } = { apiKey: undefined, keyId: undefined, keySecret: undefined, ...stack };
  const literal = Object.entries({ apiKey, keySecret, keyId }).find(([, text]) => text !== undefined && !isSlot(text));
  if (literal === undefined) return [];
  const message = `${configPath} holds stacks.${name}.${literal[0]} itself: better write \${env:NAME} or \${file:PATH}`;
  const { mode } = await stat(configPath);
  return [{ code: "literal-credential", message }, ...exposure(mode, configPath, "configuration file")];
}
