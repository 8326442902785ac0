import { dirname, resolve } from "node:path";
import { stat } from "node:fs/promises";
import { StackferryError } from "../../core/errors.ts";
import { DEFAULT_PATH_SEGMENTS, type RequestHeader, type StackCredential } from "../../core/ports.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import { isHeaderText } from "../../core/text/encoding.ts";
import type { Config } from "../load-config.ts";
import { expandValues, holdsValueReference, isValueReference, readTextFile } from "../expand-values.ts";
import {
  environmentCredential,
  mergePacing,
  readConsistencyWait,
  type BaseStackSettings,
  type Pacing,
  type StackRole,
  type StackSettings,
} from "./stack-settings.ts";
import { isStackUrl, parseBaseUrl, parseStackUrl, stackNameFromAddress, withTeam } from "./stack-address.ts";
import type { Warning } from "../../core/outcome.ts";
import { exposureWarnings, loadClientKey } from "../secrets/archive-secrets.ts";
import type { ConfiguredStack } from "../schema.ts";

/** Flags override the configuration. Keys in the configuration override keys in the environment. */
export interface StackSources {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Pacing & { readonly caFile?: string | undefined; readonly allowHttp?: boolean | undefined };
  readonly cwd: string;
}

export async function resolveStackSettings(
  reference: string,
  role: StackRole,
  sources: StackSources,
): Promise<StackSettings> {
  const basis = isStackUrl(reference)
    ? addressedStack(reference, role, sources)
    : await namedStack(reference, role, sources);
  const { pacing, caFile: configuredCa, ...rest } = basis;
  const { config, env, flags, cwd } = sources;
  const caFile = flags.caFile === undefined ? configuredCa : resolve(cwd, flags.caFile);
  return {
    ...rest,
    ...mergePacing([config.defaults, pacing, readConsistencyWait(env), flags]),
    ca:
      caFile &&
      (await readTextFile(caFile, `the certificate file ${caFile} cannot be read`, "give the path of a PEM file")),
    allowHttp: flags.allowHttp ?? rest.allowHttp,
  };
}

function addressedStack(address: string, role: StackRole, sources: StackSources): BaseStackSettings {
  const identity = parseStackUrl(address, role === "any" ? "STACK" : `--${role}`);
  return {
    stackName: stackNameFromAddress(identity),
    identity,
    credential: environmentCredential(identity.variant, role, sources.env, identity.baseUrl),
    segments: DEFAULT_PATH_SEGMENTS,
    pacing: {},
    allowHttp: false,
    warnings: [],
  };
}

/** Fills in the `${…}` of this stack alone, because variables of other stacks may be missing. */
async function namedStack(name: string, role: StackRole, sources: StackSources): Promise<BaseStackSettings> {
  const { config, env } = sources;
  const { path: configPath } = config;
  const written = config.stacks.get(name);
  if (written === undefined || configPath === undefined) throw unknownStack(name, sources);
  const stack = await expandValues(written, `stacks.${name}`, { env, configPath });
  const filledIn: NamedStack = { name, written, stack, configPath };
  const { concurrency, rate, timeout, consistencyWait, caFile, kinds, transforms, values, allowHttp = false } = stack;
  const { warnings, ...gateway } = await gatewaySettingsOf(filledIn);
  return {
    stackName: name,
    identity: withTeam(identityOf(filledIn), gateway.headers ?? []),
    credential: credentialOf(filledIn) ?? environmentCredential(stack.variant, role, env, `stack ${name}`),
    segments: segmentsOf(filledIn),
    pacing: { concurrency, rate, timeout, consistencyWait },
    caFile: caFile && resolve(dirname(configPath), caFile),
    allowHttp,
    kinds,
    ...(transforms && { transforms }),
    ...(values && { values }),
    ...gateway,
    warnings: [...(await literalCredentials(filledIn)), ...warnings],
  };
}

function unknownStack(name: string, { config, cwd }: Pick<StackSources, "config" | "cwd">): StackferryError {
  const names = config.stacks.size === 0 ? "there are none" : `it has ${[...config.stacks.keys()].join(", ")}`;
  const where = config.path === undefined ? `there is no stackferry.yaml in ${cwd}` : `${config.path}: ${names}`;
  // A scheduler such as cron may start the command in another directory, so the hint names --config.
  const hint = "give the name of a configured stack or an address, or the configuration file with --config FILE";
  return new StackferryError("config", `unknown stack "${name}" (${where})`, { hint });
}

interface NamedStack {
  readonly name: string;
  /** References are not filled in yet. */
  readonly written: ConfiguredStack;
  readonly stack: ConfiguredStack;
  readonly configPath: string;
}

function identityOf({ name, stack }: NamedStack): StackIdentity {
  const baseUrl = parseBaseUrl(stack.baseUrl, `stacks.${name}.baseUrl`);
  if (stack.variant === "self-hosted") return { variant: stack.variant, baseUrl };
  const { variant, organizationId, serviceId } = stack;
  return { variant, baseUrl, organizationId, serviceId };
}

function credentialOf({ name, written, stack, configPath }: NamedStack): StackCredential | undefined {
  if (stack.variant === "managed") {
    const { keyId, keySecret } = stack;
    return keyId !== undefined && keySecret !== undefined ? { keyId, keySecret } : undefined;
  }
  const reference = "apiKey" in written ? (written.apiKey ?? "") : "";
  if (stack.apiKey === undefined) return undefined;
  if (!isValueReference(reference) || isHeaderText(stack.apiKey)) return { apiKey: stack.apiKey };
  const problem = "holds white space, line breaks or characters outside ASCII";
  throw new StackferryError("config", `${configPath}: stacks.${name}.apiKey (${reference}) ${problem}`, {
    hint: "the key is one line of letters, digits and signs: copy it again",
  });
}

function segmentsOf({ name, stack }: NamedStack): BaseStackSettings["segments"] {
  const segments = { ...DEFAULT_PATH_SEGMENTS, ...(stack.variant === "managed" && stack.segments) };
  for (const [member, word] of Object.entries(segments)) {
    if (/^[A-Za-z0-9_-]+$/.test(word)) continue;
    const message = `stacks.${name}.segments.${member} must be one path segment of letters, digits, - and _`;
    throw new StackferryError("config", message);
  }
  return segments;
}

/** Warns of keys in plain text, because a configuration file is often shared or in git. */
async function literalCredentials({ name, written, configPath }: NamedStack): Promise<Warning[]> {
  const { apiKey, keyId, keySecret } = { apiKey: undefined, keyId: undefined, keySecret: undefined, ...written };
  const { clientKeyPassphrase, headers = {} } = written;
  const literalHeader = Object.entries(headers).find(
    ([header, text]) => isSecretHeader(header, text) && !holdsValueReference(text),
  );
  const literal =
    Object.entries({ apiKey, keySecret, keyId, clientKeyPassphrase }).find(
      ([, text]) => text !== undefined && !isValueReference(text),
    ) ??
    (literalHeader && [`headers.${literalHeader[0]}`]);
  if (literal === undefined) return [];
  const message = `${configPath} holds stacks.${name}.${literal[0]} in plain text; write \${env:NAME} or \${file:PATH}`;
  const { mode } = await stat(configPath);
  return [{ code: "literal-credential", message }, ...exposureWarnings(mode, configPath, "configuration file")];
}

const SECRET_HEADER = /auth|cookie|credential|jwt|key|pass|secret|token/i;

/** Records can contain the values of other headers, such as a team's id, so these are not secret. */
function isSecretHeader(name: string, text: string): boolean {
  return holdsValueReference(text) || SECRET_HEADER.test(name);
}

async function gatewaySettingsOf({
  name,
  written,
  stack,
  configPath,
}: NamedStack): Promise<Pick<StackSettings, "headers" | "clientCertificate" | "warnings">> {
  const { clientCertificateFile, clientKeyFile = clientCertificateFile, clientKeyPassphrase } = stack;
  const headers = Object.entries(stack.headers ?? {}).map(([header, value]): RequestHeader => {
    return { name: header, value, isSecret: isSecretHeader(header, written.headers?.[header] ?? "") };
  });
  const ofHeaders = headers.length === 0 ? {} : { headers };
  if (clientCertificateFile === undefined || clientKeyFile === undefined) {
    if (clientKeyFile === undefined && clientKeyPassphrase === undefined) return { ...ofHeaders, warnings: [] };
    throw new StackferryError("config", `stacks.${name} has a client key, but no clientCertificateFile`, {
      hint: "set clientCertificateFile, too",
    });
  }
  const path = resolve(dirname(configPath), clientCertificateFile);
  const key = await loadClientKey(resolve(dirname(configPath), clientKeyFile));
  const clientCertificate = {
    certificate: await readTextFile(path, `the certificate file ${path} cannot be read`, "give the path of a PEM file"),
    key: key.value,
    ...(clientKeyPassphrase && { passphrase: clientKeyPassphrase }),
  };
  return { ...ofHeaders, clientCertificate, warnings: key.warnings };
}
