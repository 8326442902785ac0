import { dirname, resolve } from "node:path";
import { stat } from "node:fs/promises";
import { StackferryError } from "../../core/errors.ts";
import { DEFAULT_PATH_SEGMENTS, type RequestHeader, type StackCredential } from "../../core/ports.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import { isHeaderText } from "../../core/text/encoding.ts";
import type { Config } from "../load-config.ts";
import { mergePacing, readConsistencyWait, type Pacing } from "../pacing.ts";
import { expandValue, holdsValueReference, isValueReference, readTextFile } from "../expand-values.ts";
import { environmentCredential, type BaseStackSettings, type StackRole, type StackSettings } from "./stack-settings.ts";
import { isStackUrl, parseBaseUrl, parseStackUrl, stackNameFromAddress } from "./stack-address.ts";
import type { Warning } from "../../core/outcome.ts";
import { exposureWarnings, loadClientKey } from "../secrets/archive-secrets.ts";
import type { ConfiguredStack } from "./stack-schema.ts";

/** The sources from which a STACK argument is resolved, weakest layer first: the file, the environment, the flags. */
export interface StackSources {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Pacing & { readonly caFile?: string | undefined; readonly allowHttp?: boolean | undefined };
  readonly cwd: string;
}

/** Returns the settings for a STACK argument: a configured name or an address. @throws StackferryError `config` */
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

/** Fills in `${env:…}` and `${file:…}` of one stack of this run. Variables of other stacks may be missing. */
async function namedStack(name: string, role: StackRole, sources: StackSources): Promise<BaseStackSettings> {
  const { config, env } = sources;
  const { path: configPath } = config;
  const stack = config.stacks.get(name);
  if (stack === undefined || configPath === undefined) throw unknownStack(name, sources);
  const { concurrency, rate, timeout, consistencyWait } = stack;
  const toFill: StackToFill = { name, stack, role, env, configPath };
  const expandMember: Expand = (member, text) => expandValue(text, `stacks.${name}.${member}`, { env, configPath });
  const { warnings, ...gateway } = await gatewaySettingsOf(toFill, expandMember);
  return {
    stackName: name,
    identity: await identityOf(toFill, expandMember),
    credential: await credentialOf(toFill, expandMember),
    segments: await segmentsOf(toFill, expandMember),
    pacing: { concurrency, rate, timeout, consistencyWait },
    caFile: stack.caFile && resolve(dirname(configPath), await expandMember("caFile", stack.caFile)),
    allowHttp: stack.allowHttp ?? false,
    kinds: stack.kinds,
    ...(stack.transforms && { transforms: stack.transforms }),
    ...(stack.values && { values: await expandCodeValues(stack.values, expandMember) }),
    ...gateway,
    warnings: [...(await literalCredentials(toFill)), ...warnings],
  };
}

function unknownStack(name: string, { config, cwd }: Pick<StackSources, "config" | "cwd">): StackferryError {
  const names = config.stacks.size === 0 ? "there are none" : `it has ${[...config.stacks.keys()].join(", ")}`;
  const where = config.path === undefined ? `there is no stackferry.yaml in ${cwd}` : `${config.path}: ${names}`;
  // A scheduler such as cron starts a command in another folder than the one in which it was tried.
  const hint = "give the name of a configured stack or an address, or the configuration file with --config FILE";
  return new StackferryError("config", `unknown stack "${name}" (${where})`, { hint });
}

interface StackToFill {
  readonly name: string;
  readonly stack: ConfiguredStack;
  readonly role: StackRole;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configPath: string;
}

/** Fills in one text. It also gets the path of the member, for messages. */
type Expand = (member: string, text: string) => Promise<string>;

/** Fills in `${env:NAME}` and `${file:PATH}` in the values of placeholders. */
async function expandCodeValues(
  values: NonNullable<BaseStackSettings["values"]>,
  expand: Expand,
): Promise<NonNullable<BaseStackSettings["values"]>> {
  const filled: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(values))
    filled[name] = typeof value === "string" ? await expand(`values.${name}`, value) : value;
  return filled;
}

async function identityOf({ name, stack }: StackToFill, expand: Expand): Promise<StackIdentity> {
  const baseUrl = parseBaseUrl(await expand("baseUrl", stack.baseUrl), `stacks.${name}.baseUrl`);
  if (stack.variant === "self-hosted") return { variant: stack.variant, baseUrl };
  const organizationId = await expand("organizationId", stack.organizationId);
  const serviceId = await expand("serviceId", stack.serviceId);
  return { variant: stack.variant, baseUrl, organizationId, serviceId };
}

async function credentialOf(
  { name, stack, role, env, configPath }: StackToFill,
  expand: Expand,
): Promise<StackCredential> {
  if (stack.variant === "self-hosted") {
    if (stack.apiKey !== undefined) {
      const apiKey = await expand("apiKey", stack.apiKey);
      if (!isValueReference(stack.apiKey) || isHeaderText(apiKey)) return { apiKey };
      const problem = "holds white space, line breaks or characters outside ASCII";
      throw new StackferryError("config", `${configPath}: stacks.${name}.apiKey (${stack.apiKey}) ${problem}`, {
        hint: "the key is one line of letters, digits and signs: copy it again",
      });
    }
  } else if (stack.keyId !== undefined && stack.keySecret !== undefined) {
    return { keyId: await expand("keyId", stack.keyId), keySecret: await expand("keySecret", stack.keySecret) };
  }
  return environmentCredential(stack.variant, role, env, `stack ${name}`);
}

async function segmentsOf({ name, stack }: StackToFill, expand: Expand): Promise<BaseStackSettings["segments"]> {
  const written = stack.variant === "managed" ? stack.segments : undefined;
  const expandSegment = async (member: "stack" | "pipes"): Promise<string> => {
    const word = await expand(`segments.${member}`, written?.[member] ?? DEFAULT_PATH_SEGMENTS[member]);
    if (/^[A-Za-z0-9_-]+$/.test(word)) return word;
    const message = `stacks.${name}.segments.${member} must be one path segment of letters, digits, - and _`;
    throw new StackferryError("config", message);
  };
  return { stack: await expandSegment("stack"), pipes: await expandSegment("pipes") };
}

/** Warns about a key that is written into the file itself, because the file is often shared or kept in git. */
async function literalCredentials({ name, stack, configPath }: StackToFill): Promise<Warning[]> {
  const { apiKey, keyId, keySecret } = { apiKey: undefined, keyId: undefined, keySecret: undefined, ...stack };
  const { clientKeyPassphrase, headers = {} } = stack;
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

/** Matches names of headers that hold a credential. Their values are secrets, even if they stand in the file. */
const SECRET_HEADER = /auth|cookie|credential|jwt|key|pass|secret|token/i;

/** Tells whether a header's value is a secret. What stands in the file is none, such as the id of a team, which records name, too. */
function isSecretHeader(name: string, text: string): boolean {
  return holdsValueReference(text) || SECRET_HEADER.test(name);
}

/** Fills in the headers of a stack, and reads the files of its client certificate. @throws StackferryError `config` */
async function gatewaySettingsOf(
  { name, stack, configPath }: StackToFill,
  expand: Expand,
): Promise<Pick<StackSettings, "headers" | "clientCertificate" | "warnings">> {
  const { clientCertificateFile, clientKeyFile = clientCertificateFile, clientKeyPassphrase } = stack;
  const headers: RequestHeader[] = [];
  for (const [header, text] of Object.entries(stack.headers ?? {})) {
    const value = await expand(`headers.${header}`, text);
    headers.push({ name: header, value, isSecret: isSecretHeader(header, text) });
  }
  const ofHeaders = headers.length === 0 ? {} : { headers };
  if (clientCertificateFile === undefined || clientKeyFile === undefined) {
    if (clientKeyFile === undefined && clientKeyPassphrase === undefined) return { ...ofHeaders, warnings: [] };
    throw new StackferryError("config", `stacks.${name} has a client key, but no clientCertificateFile`, {
      hint: "set clientCertificateFile, too",
    });
  }
  const pathOf = async (member: string, path: string): Promise<string> =>
    resolve(dirname(configPath), await expand(member, path));
  const path = await pathOf("clientCertificateFile", clientCertificateFile);
  const key = await loadClientKey(await pathOf("clientKeyFile", clientKeyFile));
  const clientCertificate = {
    certificate: await readTextFile(path, `the certificate file ${path} cannot be read`, "give the path of a PEM file"),
    key: key.value,
    ...(clientKeyPassphrase && { passphrase: await expand("clientKeyPassphrase", clientKeyPassphrase) }),
  };
  return { ...ofHeaders, clientCertificate, warnings: key.warnings };
}
