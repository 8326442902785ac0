import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../../sandbox/start-sandbox.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { demoText } from "./demo-text.ts";
import type { Moved } from "./move.ts";
import { move } from "./move.ts";
import { rebuild } from "./rebuild.ts";

/** A whole migration and back, and a stack lost and rebuilt, on stacks of this machine, each step checked. */
export async function runDemo(outer: Session): Promise<CommandResult> {
  const session = withoutWarnings(outer);
  const folder = await mkdtemp(join(tmpdir(), "stackferry-demo-"));
  await using office = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using cloud = await startSandbox({ variant: "managed", seed: "bare" });
  await using replacement = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const there = await move(
    { title: "Self-hosted → managed", source: office, target: cloud, folder, name: "to-managed" },
    session,
  );
  const back = await move(
    {
      title: "And back: managed → a new self-hosted stack",
      source: cloud,
      target: replacement,
      folder,
      name: "to-self-hosted",
    },
    session,
  );
  const moves = [there, back, await rebuild(office, there.archive.path, folder, session)];
  const holds = moves.every(({ checks }) => checks.every((each) => each.holds));
  return {
    exitCode: holds ? 0 : 1,
    text: (display) => demoText(moves, folder, display),
    outcomes: moves.flatMap(({ outcomes }) => outcomes),
    extra: { moves: moves.map(described) },
  };
}

/**
 * The demo's stacks are made up, and so is what they may drop: under --quiet no warning is shown, and off a terminal nothing but
 * the page at the end, which a log of every step would bury.
 */
function withoutWarnings(session: Session): Session {
  if (!session.io.stderr.isTTY && !session.globals.verbose) return { ...session, events: () => {}, note: () => {} };
  if (!session.globals.quiet) return session;
  return { ...session, events: (event) => (event.type === "warning" ? undefined : session.events(event)) };
}

function described({ title, archive, checks, requests }: Moved): Readonly<Record<string, unknown>> {
  return { title, archive, checks, requests };
}
