import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StackferryError } from "../domain/errors.ts";
import type { StackIdentity } from "../domain/record.ts";
import { closestName } from "./closest-name.ts";
import { environmentCredential } from "./environment-credential.ts";
import { expandPacing } from "./expand-pacing.ts";
import type { Config } from "./load-config.ts";
import { resolveNamedStack } from "./named-stack.ts";
import { mergePacing, pacingOfEnvironment } from "./pacing.ts";
import type { Pacing } from "./pacing.ts";
import { isStackUrl, parseStackUrl } from "./parse-stack-url.ts";
import type { StackBasis, StackRole, StackSettings } from "./stack-settings.ts";

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

function labelOf(identity: StackIdentity): string {
  const place = identity.serviceId ?? new URL(identity.baseUrl).host;
  return place.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|-+$/g, "") || "stack";
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
