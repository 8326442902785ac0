import { mkdtempSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";

describe("doctor", () => {
  it("looks at the stacks of the configuration file", async () => {
    await using office = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using cloud = await startSandbox({ variant: "managed", seed: "sample", api: "contract" });
    const cwd = mkdtempSync(join(tmpdir(), "stackferry-doctor-"));
    const yaml = `stacks:
  office: { variant: self-hosted, baseUrl: "${office.url}", apiKey: "\${env:OFFICE_KEY}" }
  cloud:
    variant: managed
    baseUrl: ${cloud.url}
    organizationId: ${cloud.organizationId ?? ""}
    serviceId: ${cloud.serviceId ?? ""}
    keyId: \${env:CLOUD_ID}
    keySecret: \${file:secret}
`;
    await writeFile(join(cwd, "stackferry.yaml"), yaml);
    await writeFile(join(cwd, "secret"), `${cloud.keySecret ?? ""}\n`);
    const env = { OFFICE_KEY: office.apiKey ?? "", CLOUD_ID: cloud.keyId ?? "" };
    const run = await runCli(["doctor", "office", "cloud", "--json"], { cwd, env });
    expect(documentOf(run)).toMatchObject({
      command: "doctor",
      ok: true,
      exitCode: 0,
      stacks: [
        {
          label: "office",
          reachable: true,
          accepted: true,
          kinds: expect.arrayContaining([{ kind: "alerts", status: "listed", count: 12 }]),
        },
        {
          label: "cloud",
          kinds: expect.arrayContaining([
            { kind: "webhooks", status: "not-offered" },
            { kind: "pipes", status: "by-id" },
          ]),
        },
      ],
    });
    const text = await runCli(["doctor", "office", "cloud"], { cwd, env });
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toContain("reachable, credential accepted");
    expect((await runCli(["doctor", "offce"], { cwd, env })).stderr).toContain("did you mean office?");
  });
});
