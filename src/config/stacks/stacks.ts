import { dirname, resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import { closestName } from "../../core/text/similarity.ts";
import { fillInStack } from "./configured-stack.ts";
import type { Config } from "../load-config.ts";
import type { Pacing } from "../pacing.ts";
import { expandPacing, mergePacing, pacingOfEnvironment } from "../pacing.ts";
import { readTextFile } from "../read-text-file.ts";
import type { StackBasis, StackRole, StackSettings } from "./stack-settings.ts";
import { DEFAULT_SEGMENTS, environmentCredential } from "./stack-settings.ts";
import { isStackUrl, parseStackUrl } from "./stack-url.ts";

/** The sources that a STACK argument is resolved with, weakest layer first: the file, the environment, the flags. */
export interface StackSources {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Pacing & { readonly caFile?: string | undefined; readonly allowHttp?: boolean | undefined };
  readonly cwd: string;
}

/**
 * Turns a STACK argument, a name of the configuration file or an address, into settings.
 * @throws StackferryError `config` for an unknown name, an invalid address, or a missing credential.
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
    stackName: labelOf(identity),
    identity,
    credential: environmentCredential(identity.variant, role, sources.env, identity.baseUrl),
    segments: DEFAULT_SEGMENTS,
    pipeIds: undefined,
    pacing: {},
    allowHttp: false,
    warnings: [],
  };
}

async function namedStack(name: string, role: StackRole, sources: StackSources): Promise<StackBasis> {
  const { config, env } = sources;
  const stack = config.stacks.get(name);
  if (stack === undefined || config.path === undefined) throw unknownStack(name, config);
  const basis = await fillInStack({ name, stack, role, env, configPath: config.path });
  const { caFile } = basis;
  return { ...basis, caFile: caFile === undefined ? undefined : resolve(dirname(config.path), caFile) };
}

function unknownStack(name: string, config: Config): StackferryError {
  const stackNames = [...config.stacks.keys()];
  const meant = closestName(name, stackNames);
  const list = stackNames.length === 0 ? "there are none" : `it has ${stackNames.join(", ")}`;
  const where = config.path === undefined ? "there is no stackferry.yaml here" : `${config.path}: ${list}`;
  const hint = meant === undefined ? "give the name of a configured stack, or an address" : `did you mean ${meant}?`;
  return new StackferryError("config", `unknown stack "${name}" (${where})`, { hint });
}

/** Derives a name for a stack that is known only by its address: safe in a file name. */
export function labelOf(identity: StackIdentity): string {
  const { host } = new URL(identity.baseUrl);
  const name = identity.serviceId === undefined ? host : `${host}-${identity.serviceId}`;
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|-+$/g, "") || "stack";
}

function readCertificates(path: string): Promise<string> {
  return readTextFile(path, `the certificate file ${path} cannot be read`, "give the path of a PEM file");
}
