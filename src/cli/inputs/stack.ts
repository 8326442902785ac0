import { lockTarget } from "../../library/steps/journal-place.ts";
import { stackAddressOf, stackNameFromAddress } from "../../config/stacks/stack-address.ts";
import { resolveStackSettings } from "../../config/stacks/stacks.ts";
import type { StackRole, StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError } from "../../core/errors.ts";
import type { StackClient } from "../../core/ports.ts";
import { openStack, type OpenStackOptions, type StackOptions } from "../../library/options/connect.ts";
import { secretsOfAccess, secretsOfProxies } from "../../library/options/credential-guard.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import type { ReportedStack } from "../output/document.ts";
import { readProxyEnv } from "../program/io.ts";
import type { Session } from "../program/session.ts";
import { journalPlaceOf, loadSessionConfig, stackSourcesOf, type JournalsFlag } from "./config.ts";

/** After this call, the stack's credential is neither printed nor sent in a record. */
export async function resolveStack(reference: string, role: StackRole, session: Session): Promise<StackSettings> {
  const settings = await resolveStackSettings(
    reference,
    role,
    stackSourcesOf(await loadSessionConfig(session), session),
  );
  session.addCredentials(...secretsOfAccess(settings));
  for (const warning of settings.warnings) session.events({ type: "warning", warning });
  return settings;
}

export function openClient(
  settings: StackSettings,
  session: Session,
  options: Partial<OpenStackOptions> = {},
): StackClient {
  const proxyEnv = readProxyEnv(session.io.env);
  session.addCredentials(...secretsOfProxies(proxyEnv));
  const access = { ...settings, proxyEnv };
  const client = openStack(access, { events: session.events, credentials: session.credentials, ...options });
  session.runState.requestCounts.push(() => client.requestCounts());
  return client;
}

/**
 * A dry run takes no lock.
 * @throws StackferryError `locked`, `journal`
 */
export async function lockStack(
  settings: StackSettings,
  request: JournalsFlag & { readonly dryRun: boolean },
  session: Session,
): Promise<AsyncDisposable | undefined> {
  const { folder: journals } = await journalPlaceOf(request, session);
  return await lockTarget({ journals, dryRun: request.dryRun }, settings);
}

export function toReportedStack({ stackName, identity }: StackSettings): ReportedStack {
  return { label: stackName, ...identity };
}

export function stackNameAndAddress({ stackName, identity }: Pick<StackSettings, "stackName" | "identity">): string {
  const where = stackAddressOf(identity);
  return stackName === stackNameFromAddress(identity) ? where : `${stackName} (${where})`;
}

export async function configuredStackNames(session: Pick<Session, "io" | "globals">): Promise<string[]> {
  const { path, stacks } = await loadSessionConfig(session);
  if (stacks.size > 0) return [...stacks.keys()];
  const hint =
    "--all takes the stacks of stackferry.yaml: add a stack to it, or name another configuration file with --config";
  throw new StackferryError("config", `there are no stacks in ${path ?? "the configuration"}`, { hint });
}

export function sandboxStackOptions(sandbox: Sandbox): StackOptions {
  const { variant, url: baseUrl, apiKey = "", keyId = "", keySecret = "" } = sandbox;
  if (variant === "self-hosted") return { variant, baseUrl, apiKey };
  const { organizationId = "", serviceId = "" } = sandbox;
  return { variant, baseUrl, organizationId, serviceId, keyId, keySecret };
}
