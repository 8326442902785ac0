import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StackferryError, errorMessage } from "../core/errors.ts";
import type { Commit, CommitFolder } from "../core/ports.ts";
import { quoteShellWord } from "../core/text/format.ts";
import { makePrivateFolder } from "../files/atomic-write.ts";
import { fileError, systemErrorCode } from "../files/errors.ts";

/** Points to the new commits until the branch has them. The next run deletes the ref of a killed run. */
const UNFINISHED_REF = "refs/stackferry/log";

/** Overrides the user's settings, which could run hooks or ask for a passphrase. */
const SETTINGS = [
  "user.name=stackferry",
  "user.email=stackferry@localhost",
  "commit.gpgsign=false",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "gc.autoDetach=false",
  "maintenance.autoDetach=false",
].flatMap((setting) => ["-c", setting]);

/** git gets no other variables of the user: `GIT_*` could lead to another repository, and some contain credentials. */
const VARIABLES = ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USERPROFILE", "APPDATA", "SystemRoot", "TEMP"];

/** @throws StackferryError `config` without git; `usage` for a folder with files but no commit */
export async function openGitFolder(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CommitFolder> {
  // Without a ceiling, git would use a parent folder's repository if `.git` is no repository.
  const within = { GIT_CEILING_DIRECTORIES: dirname(path) };
  const variables = VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const git = createGit({ ...Object.fromEntries(variables), LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", ...within });
  await git(["--version"]);
  const names = await namesIn(path);
  const isRepository = names.includes(".git");
  const run: RunGit = (args, input) => git(["-C", path, ...SETTINGS, ...args], input);
  const head = isRepository ? await commitAt("HEAD", run) : "";
  if (head === "" && names.some((name) => name !== ".git")) {
    const what = isRepository ? "has no commit" : "is no git repository";
    throw new StackferryError("usage", `${path} is not empty, and ${what}`, { hint: NEW_FOLDER });
  }
  return {
    async trailers(key) {
      if (head === "") return undefined;
      const text = await run(["log", `--format=%(trailers:key=${key},valueonly)`, head]);
      return text.split("\n").filter((line) => line !== "");
    },
    async commit(commits, signal) {
      if (head !== "") await refuseChanges(path, run);
      if (!isRepository) await makeRepository(path, run);
      await run(["update-ref", "-d", UNFINISHED_REF]);
      const input = { chunks: fastImportStream(commits, head), signal };
      await run(["fast-import", "--quiet", "--done", "--date-format=raw"], input);
      const last = await commitAt(UNFINISHED_REF, run);
      if (last === "") return undefined;
      await run(["merge", "--quiet", "--ff-only", "--no-verify-signatures", last]);
      await run(["update-ref", "-d", UNFINISHED_REF]);
      return last;
    },
  };
}

const NEW_FOLDER = "name a new or empty folder, or one that `log --git` has made";

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    if (systemErrorCode(error) === "ENOTDIR")
      throw new StackferryError("usage", `${path} is a file`, { hint: NEW_FOLDER });
    throw fileError("read", path, error);
  }
}

async function commitAt(ref: string, run: RunGit): Promise<string> {
  return (await run(["rev-list", "--max-count=1", "--ignore-missing", ref])).trim();
}

async function makeRepository(path: string, run: RunGit): Promise<void> {
  await makePrivateFolder(path).catch((error: unknown) => {
    throw fileError("make", path, error);
  });
  await run(["init", "--quiet"]);
}

async function refuseChanges(path: string, run: RunGit): Promise<void> {
  const changed = await run(["status", "--porcelain", "--untracked-files=no"]);
  if (changed === "") return;
  throw new StackferryError("usage", `${path} has changes that are not committed`, {
    hint: `commit them, or put them aside: git -C ${quoteShellWord(path)} stash`,
    faults: changed.trimEnd().split("\n").slice(0, 5),
  });
}

async function* fastImportStream(commits: AsyncIterable<Commit>, head: string): AsyncGenerator<Buffer> {
  let parent = head;
  for await (const { at, message, replaced, files } of commits) {
    yield Buffer.from(`commit ${UNFINISHED_REF}\n`);
    yield Buffer.from(`committer stackferry <stackferry@localhost> ${Math.floor(at / 1000)} +0000\n`);
    yield dataOf(message);
    if (parent !== "") yield Buffer.from(`from ${parent}\n`);
    parent = "";
    for (const folder of replaced) yield Buffer.from(`D ${folder}\n`);
    for (const { path, text } of files) {
      yield Buffer.from(`M 100644 inline ${path}\n`);
      yield dataOf(text);
    }
  }
  yield Buffer.from("done\n");
}

function dataOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}

type RunGit = (args: readonly string[], input?: Input) => Promise<string>;

interface Input {
  readonly chunks: AsyncIterable<Buffer>;
  readonly signal: AbortSignal | undefined;
}

/** A process group of its own keeps Ctrl-C from ending git. */
function createGit(env: Readonly<Record<string, string>>) {
  return async (args: readonly string[], { chunks, signal }: Partial<Input> = {}): Promise<string> => {
    const child = spawn("git", args, { env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    const [out, err] = [[] as Buffer[], [] as Buffer[]];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const failure = pipeline(Readable.from(chunks ?? []), child.stdin, { signal }).then(
      () => undefined,
      (error: unknown) => error,
    );
    const code = await ended.catch((error: unknown) => Promise.reject(startError(error)));
    const inputError = await failure;
    if (inputError instanceof StackferryError) throw inputError;
    signal?.throwIfAborted();
    if (code === 0) return Buffer.concat(out).toString("utf8");
    throw gitError(args, Buffer.concat(err).toString("utf8"));
  };
}

function startError(error: unknown): StackferryError {
  const isThere = systemErrorCode(error) !== "ENOENT";
  const problem = isThere ? `git cannot be started: ${errorMessage(error)}` : "there is no git on this machine";
  return new StackferryError("config", problem, { cause: error, hint: "install git, or add it to PATH" });
}

function gitError(args: readonly string[], stderr: string): StackferryError {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const said = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0] ?? "it gave no reason";
  const command = args.find((arg) => /^[a-z]+(?:-[a-z]+)?$/.test(arg)) ?? "";
  return new StackferryError("archive-io", `git ${command} failed: ${said.replace(/^(?:fatal|error): /, "")}`, {
    hint: "nothing was committed; mend the folder, then run again",
  });
}
