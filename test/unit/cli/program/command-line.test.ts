import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exitCodes } from "../../../../src/cli/program/exit-codes.ts";
import { globalFlags } from "../../../../src/cli/program/flags.ts";
import { commands } from "../../../../src/cli/program/commands.ts";
import { parseCommandLine } from "../../../../src/cli/program/parse.ts";
import { stackferryCommands } from "../../../support/command-words.ts";
import { documentOf, runCli } from "../../../support/run-cli.ts";

const loaded = await Promise.all(commands.map(({ load }) => load()));

describe("the command line", () => {
  it("prints its version", async () => {
    const meta = readFileSync(new URL("../../../../package.json", import.meta.url), "utf8");
    const { exitCode, stdout, stderr } = await runCli(["--version"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(JSON.parse(meta)).toMatchObject({ version: stdout.trim() });
  });

  it("shows the commands by groups if nothing is given, and exits with 2 if flags are given without a command", async () => {
    expect(documentOf(await runCli(["--json"]))).toMatchObject({ command: "", ok: false, exitCode: 2 });
    expect(await runCli([])).toMatchObject({ exitCode: 0, stderr: "" });
    const { stdout } = await runCli([]);
    for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^  ${name}  `, "m"));
    expect(stdout.match(/^\w+:$/gm)).toEqual(["Start:", "Keep:", "Move:", "Edit:", "Look:"]);
  });

  it.each(loaded)("$name --help fits a screen, --all shows every flag", async ({ name, flags }) => {
    const { exitCode, stdout, stderr } = await runCli([name, "--help"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Exit codes: 0 ${exitCodes[0].short}, `);
    // The options of every command are listed once, in the overview.
    expect(stdout).toContain("(--config, --json, --quiet …): stackferry --help --all");
    for (const flag of Object.keys(globalFlags)) expect(stdout).not.toMatch(new RegExp(`^ +--${flag} `, "m"));
    const whole = await runCli([name, "--help", "--all"]);
    const own = Object.entries(flags);
    const [, options = ""] = /Options:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    for (const [flag, { advanced = false }] of own) {
      const shown = new RegExp(`^ +(?:-\\w, +)?--${flag}\\b`, "m");
      expect(whole.stdout).toMatch(shown);
      expect(shown.test(options)).toBe(!advanced);
    }
    const hidden = own.filter(([, { advanced }]) => advanced === true).length;
    expect(stdout.includes(`${name} --help --all`)).toBe(hidden > 0);
    expect(whole.stdout).toMatch(new RegExp(`Exit codes:\\s+0 +${exitCodes[0].meaning}`));
    // A long meaning goes on below its beginning.
    const [, codes = ""] = /Exit codes:\n([\s\S]*)$/.exec(whole.stdout) ?? [];
    expect(codes.split("\n").filter((line) => !/^(?: {2}\d+ +\S.*| {4,}\S.*|)$/.test(line))).toEqual([]);
    expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(45);
    const examples = /Examples:\n([\s\S]*?)\n\n/.exec(stdout)?.[1] ?? "";
    for (const [flag, { advanced = false }] of own) {
      if (advanced) expect(examples).not.toMatch(new RegExp(`--${flag}(?![\\w-])`));
    }
  });

  it.each(commands)("$name --help has examples that parse", async ({ name }) => {
    for (const columns of [60, 80]) {
      const { stdout } = await runCli([name, "--help", "--all"], { terminal: { columns } });
      const [, examples = ""] = /Examples:\n(.*?)\n\n/s.exec(stdout) ?? [];
      const lines = examples.split("\n");
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      // On 60 columns, a part that is too long is broken between words.
      const next = columns === 60 ? /^ {2}(?:# |stackferry )|^ {6}\S/ : /^ {2}(?:# |stackferry )|^ {6}--/;
      expect(lines.filter((line) => !next.test(line))).toEqual([]);
      const shown = stackferryCommands(examples.replaceAll(/ \\\n +/g, " ").replaceAll(/ >>? .*/g, ""));
      expect(shown.length).toBeGreaterThan(0);
      for (const command of shown) expect(await parseCommandLine(command, 80)).toHaveProperty("parsedCommand");
    }
  });

  it.each([
    [["exprot", "--from", "a", "--out", "b.zip"], 'unknown command "exprot"', "did you mean export?"],
    [["--form", "a", "export"], "unknown option --form", "--help"],
    [["zzzzzz"], 'unknown command "zzzzzz"', "--help"],
    [["export", "--form", "a"], "unknown option --form", "did you mean --from?"],
    [["export", "--from", "a", "extra"], "unexpected argument: extra", "stackferry export --help"],
    [["export"], "missing: --from", "stackferry export --help"],
    [["export", "http://127.0.0.1:8000"], "missing: --from", "did you mean --from http://127.0.0.1:8000?"],
    [["import", "a.zip", "staging"], "missing: --to", "did you mean --to staging?"],
    [["export", "--from", "a", "--out", "w.json"], ".json is neither", "--format folder"],
    [["export", "--from", "a", "--from", "b"], "--from may be given only once", ""],
    [["export", "--from", "a", "--format", "folder", "--out", ""], "--out is empty", "leave it out"],
    [["import", "a.zip", "--to", "b", "--exclude", ""], "--exclude is empty", "leave it out"],
    [["prune", "", "--keep-last", "1"], "repository is empty", "leave it out"],
    [["list", "a", "--identity", ""], "--identity is empty", "leave it out"],
    [["export", "--from"], "--from needs a value", "stackferry export --help"],
    [["export", "--from", "--quiet"], "--from needs a value", "stackferry export --help"],
    [["--config"], "a command is missing", "stackferry --help"],
    [["rollback", "3", "--to", "b"], "unexpected argument: 3", "did you mean --run 3?"],
    [["rollback", "3"], "missing: --to", "did you mean --run 3?"],
    [["export", "--from", "a", "--format", "tar"], '--format is "tar", expected one of zip, folder', "export --help"],
    [["completion", "tcsh"], 'shell is "tcsh", expected one of bash, zsh, fish', "completion --help"],
    [["migrate"], "missing: --from, --to", "stackferry migrate --help"],
    [["--quiet", "export", "--rate", "1/s"], "missing: --from", "stackferry export --help"],
    [["import", "--mirror", "a.zip", "--to", "b"], '--mirror is "a.zip", expected one of ours, all', "import --help"],
    [["import", "a.zip", "--to", "b", "--mirror", "--yes", "c"], "unexpected argument: c", "import --help"],
    [["import", "a.zip", "--to", "b", "--mirror", "--mirror"], "--mirror may be given only once", ""],
    [["import", "a.zip", "--to", "b", "--mirror="], '--mirror is "", expected one of ours, all', "import --help"],
    [
      ["import", "a.zip", "--to", "b", "--mirror", "all"],
      "--mirror all needs --max-delete",
      "--max-delete 0 --dry-run",
    ],
    [["import", "a.zip", "--to", "b", "--mirror", "all", "--dry-run"], "--mirror all needs --max-delete", ""],
    [["import", "a.zip", "--to", "b", "--mirror", "all", "--max-delete", "30%"], "--max-delete", ""],
    [["import", "a.zip", "--to", "b", "--mirror", "--max-delete", "many"], "--max-delete", ""],
    [["import", "a.zip", "--to", "b", "--mirror", "some"], "some", ""],
    [["import", "a.zip", "--to", "b", "--max-delete", "3"], "--max-delete needs --mirror", ""],
    [["diff", "a"], "missing: <right>", "stackferry diff --help"],
    [["--config", "diff", "--verbose", "diff", "a"], "missing: <right>", "stackferry diff --help"],
    [["diff", "a", "b", "c"], "unexpected argument: c", "stackferry diff --help"],
    [["lsit", "repo"], 'unknown command "lsit"', "did you mean list?"],
    [["inspect"], "missing: <archive>", "stackferry inspect --help"],
    [["prune", "ra", "--repository", "rb", "--keep-last", "1"], "unknown option --repository", "prune <repository>"],
    [["prune", "--repository=rb", "--keep-last", "1"], "unknown option --repository", "prune <repository>"],
    [["import", "a.zip", "--to", "b", "--yes", "--", "--dry-run"], "-- is not understood", "./-NAME"],
    [["rollback", "--to", "b", "--run", "last"], "--run must be the number of a run", "--list"],
    [["diff", "a", "b", "--left", "c"], "unknown option --left", "diff <left> <right>"],
    [["backup", "--stack", "a", "--to", "repo"], "unknown option --stack", "backup [stack..]"],
    [["import", "a.zip", "--to", "b", "--exit-code"], "--exit-code needs --dry-run", "import --help"],
    [["check", "repo", "--accept-suspect"], "--accept-suspect needs --stack", "check --help"],
    [["check", "repo", "--subset", "5%", "--newest"], "--newest and --subset exclude each other", "check --help"],
    [["check", "repo", "--stack", "a", "--all"], "--all and --stack exclude each other", "check --help"],
    [["log", "repo/a", "--git", "h", "--exclude", "x"], "--git and --exclude exclude each other", "log --help"],
    [["doctor", "a", "--rate", "fast"], "--rate must be", ""],
    [["doctor", "a", "--timeout", "fast"], "--timeout must be", ""],
    [["doctor", "a", "--concurrency", "none"], "--concurrency must be", ""],
    [["sandbox", "--variant", "managed", "--port", "99999"], "--port must be", ""],
  ])("refuses %j in one sentence with a hint", async (args, sentence, hint) => {
    const { exitCode, stdout, stderr } = await runCli(args);
    expect([exitCode, stdout]).toEqual([2, ""]);
    const [first = "", second = ""] = stderr.split("\n");
    expect(first).toMatch(/^stackferry: /);
    expect(first).toContain(sentence);
    expect(second).toContain(hint);
  });

  it("prints a JSON document if a command line with --json cannot be parsed", async () => {
    const run = await runCli(["export", "--form", "a", "--json"]);
    expect(documentOf(run)).toMatchObject({
      command: "export",
      ok: false,
      exitCode: 2,
      error: { code: "usage", message: "unknown option --form", hint: "did you mean --from?" },
      outcomes: [],
      counts: {},
      warnings: [],
      requests: { total: 0, retried: 0, rateLimited: 0, waitedMs: 0 },
    });
  });

  it.each([["unknown\u001b[31mcommand"], ["export", "--\u202e"]])(
    "escapes the control characters of %j",
    async (...args) => {
      const { stderr } = await runCli(args);
      for (const control of ["\u001b", "\u202e"]) expect(stderr).not.toContain(control);
    },
  );
});

it("a wrong argument is told before a missing terminal", async () => {
  const { exitCode, stderr } = await runCli(["restore", "nightly", "--to", "http://127.0.0.1:1"], { exactly: true });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("a backup is named REPO/STACK")]);
});
