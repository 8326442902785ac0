import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quoteShellWord } from "../../core/text/format.ts";
import { startSandbox, type Sandbox } from "../../sandbox/start-sandbox.ts";
import type { CommandResult } from "../output/document.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { CliIo } from "../program/io.ts";
import type { Session } from "../program/session.ts";
import { defineCommand } from "../program/define-command.ts";

const INTRODUCTION = `Two stacks run on this machine for the length of this demo: office, full of dashboards and alerts, and
cloud, an empty one of the other variant. Nothing leaves this machine.
`;

export const command = defineCommand({
  positionals: {},
  flags: {},
  examples: [["demo", "each command as it could be typed, with what it prints"]],
  exitCodes: [0, 1, 130],
  run: async (_args, session) => {
    const folder = await mkdtemp(join(tmpdir(), "stackferry-demo-"));
    await using office = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using cloud = await startSandbox({ variant: "managed", seed: "bare" });
    await mkdir(join(folder, "backups"));
    await writeFile(join(folder, "stackferry.yaml"), configurationOf({ office, cloud }));
    const terminal = createTerminal(folder, { office, cloud }, session);
    terminal.say(INTRODUCTION);
    await terminal.type("export --from office --out office.zip");
    await terminal.type("import office.zip --to cloud --create saved-searches --yes");
    await terminal.type("diff office.zip cloud --kinds dashboards,saved-searches,alerts");
    await terminal.type("backup office --to backups");
    await deleteDashboards(office);
    terminal.say("\nSomebody deletes every dashboard of office, and its alerts with them.\n");
    await terminal.type("restore backups/office --to office --yes");
    await terminal.type("diff backups/office office");
    return terminal.result();
  },
});

function createTerminal(folder: string, stacks: Readonly<Record<string, Sandbox>>, session: Session) {
  const { io, globals, signal, resultDisplay } = session;
  const write = globals.json ? () => {} : (text: string) => io.stdout.write(text);
  const typed: { readonly command: string; readonly exitCode: ExitCode }[] = [];
  const demoIo = ioOf(folder, stacks, session, write);
  return {
    say: write,
    async type(line: string): Promise<void> {
      signal.throwIfAborted();
      write(`\n${resultDisplay.theme.strong(`$ stackferry ${line}`)}\n`);
      // A static import would be circular, because the program contains this command.
      const { main } = await import("../main.ts");
      typed.push({ command: `stackferry ${line}`, exitCode: await main(line.split(" "), demoIo) });
    },
    result(): CommandResult {
      const failed = typed.find(({ exitCode }) => exitCode !== 0);
      write(`\nThe archive and the backup stay in ${quoteShellWord(folder)} until you delete the folder.\n`);
      write("With a stack of your own: stackferry init\n");
      return {
        exitCode: failed?.exitCode ?? 0,
        text: () => "",
        alreadyPrinted: !globals.json,
        details: { folder, commands: typed },
      };
    },
  };
}

/** The commands do not see the user's environment. */
function ioOf(
  cwd: string,
  stacks: Readonly<Record<string, Sandbox>>,
  { io, signal, globals }: Session,
  write: (text: string) => void,
): CliIo {
  const keys = Object.entries(stacks).flatMap(([name, { apiKey, keyId, keySecret }]) =>
    Object.entries({ API_KEY: apiKey, KEY_ID: keyId, KEY_SECRET: keySecret }).map(([part, value]) => [
      `${name.toUpperCase()}_${part}`,
      value,
    ]),
  );
  return {
    ...io,
    cwd,
    env: { ...Object.fromEntries(keys), XDG_STATE_HOME: cwd, ...(globals.noColor && { NO_COLOR: "1" }) },
    stdout: { isTTY: io.stdout.isTTY, columns: io.stdout.columns, write },
    stderr: { isTTY: false, columns: io.stdout.columns, write },
    onSignal(listener) {
      const stop = (): void => listener("SIGINT");
      signal.addEventListener("abort", stop);
      return () => signal.removeEventListener("abort", stop);
    },
  };
}

/** Returns JSON, which is also valid YAML. */
function configurationOf(stacks: Readonly<Record<string, Sandbox>>): string {
  const settings = Object.entries(stacks).map(([name, sandbox]) => {
    const { variant, url: baseUrl, organizationId, serviceId } = sandbox;
    const placeOf = (part: string): string => `\${env:${name.toUpperCase()}_${part}}`;
    const keys =
      variant === "managed"
        ? { organizationId, serviceId, keyId: placeOf("KEY_ID"), keySecret: placeOf("KEY_SECRET") }
        : { apiKey: placeOf("API_KEY") };
    return [name, { variant, baseUrl, ...keys }];
  });
  return JSON.stringify({ stacks: Object.fromEntries(settings) });
}

async function deleteDashboards(sandbox: Sandbox): Promise<void> {
  const { url, apiKey = "" } = sandbox;
  for (const { id } of sandbox.stored()["dashboards"] ?? []) {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${url}/api/v2/dashboards/${id}`, { method: "DELETE", headers });
    if (!response.ok) throw new Error(`DELETE dashboards: status ${response.status}`);
  }
}
