import { configJsonSchema } from "../../dist/config/schema.js";

const FRONT = `# Configuration

<!-- Written by npm run docs from the schema of the file. -->

\`stackferry.yaml\` in the working directory, or the file that \`--config\` names, says where your stacks and repositories are. \`stackferry init\` writes the file for your first stack; each later \`init\` adds a stack to the file. A file for two stacks:

\`\`\`yaml
stacks:
  production:
    variant: managed
    baseUrl: https://api.example.com
    organizationId: 5f0c2c1e-6a0e-4b7c-9a56-1f9a4c1d2e3f
    serviceId: 0b7d4a52-8e1f-4f0a-9d0e-7a1b2c3d4e5f
    keyId: \${env:PROD_KEY_ID}
    keySecret: \${env:PROD_KEY_SECRET}
  staging:
    variant: self-hosted
    baseUrl: http://localhost:8000
    apiKey: \${file:secrets/staging-key}
\`\`\`

The first command checks the file and asks no stack. The second one tries every stack and repository:

\`\`\`sh
stackferry config check
stackferry doctor
\`\`\`

\`config check\` exits 2 if a setting makes a stack or repository unusable. \`doctor\` reads each kind and each pipe of \`pipeIds\` from each stack; in each repository it writes, reads and removes a small file. Without names, \`doctor\` tries everything, whatever is wrong with the settings of one of them. With the name of a stack, it tries that stack and all repositories. With the name of a repository, or its address (\`./backups\` for a folder here), it tries that repository alone.

## Secrets

A key is never a flag, and need not stand in the file. \`\${env:NAME}\` stands for the value of a variable of the environment. \`\${file:PATH}\` stands for the content of a file; its path is relative to the configuration. A line break at the end of the variable or the file does not count. A file in UTF-16 or with a byte-order mark, as some editors of Windows write it, is refused. Both work in every text of a repository and of a stack, except in \`transforms\`, \`rate\` and durations. If the file holds a literal key, stackferry warns; it warns again if other users can read that file.

If you give a stack by its address, stackferry takes its key from the environment:

- \`STACKFERRY_API_KEY\`, or \`STACKFERRY_KEY_ID\` and \`STACKFERRY_KEY_SECRET\` of a managed stack.
- \`STACKFERRY_FROM_API_KEY\` and so on for the stack that is read, and \`STACKFERRY_TO_API_KEY\` and so on for the stack that is written, if a command has both.

## Other variables

- \`STACKFERRY_CONCURRENCY\`, \`STACKFERRY_RATE\`, \`STACKFERRY_TIMEOUT\` have the meaning of the flags \`--concurrency\`, \`--rate\` and \`--timeout\`. A flag overrides its variable, and a variable overrides the file. \`STACKFERRY_CONSISTENCY_WAIT\` overrides \`consistencyWait\` in the same way, and has no flag.
- \`STACKFERRY_PASSPHRASE\` and \`STACKFERRY_IDENTITY_FILE\` open [encrypted archives](backup.md#encrypt-and-sign); the passphrase also encrypts them.
- \`STACKFERRY_SECRETS\` names a [secrets file](redaction.md#filling-in-on-import).
- \`STACKFERRY_NOTIFY\`, \`STACKFERRY_METRICS_FILE\` and \`STACKFERRY_OTLP\` are for [monitoring](monitoring.md).
- \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\` set the proxy for requests to stacks and health checks. \`NO_PROXY\` is read as curl and Go read it: \`example.com\` stands for this name and all names below it, \`10.0.0.0/8\` for a network, \`fd12::1\` for an IPv6 address, \`*\` for everything. This machine is never reached through a proxy.
- \`XDG_STATE_HOME\` is the folder below which stackferry keeps its own state, such as the key that seals [journals](security.md#journals).

## Networks

stackferry sends a credential only to the host of its stack, so it follows no redirect. Over plain HTTP, it sends a credential only to this machine, unless you set \`allowHttp\` (or give \`--allow-http\`) because you trust the network between. A name below \`localhost\`, such as \`x.localhost\`, does not count as this machine. To trust a private certificate authority, set \`caFile\` (or give \`--ca\`). No setting turns off the check of certificates: stackferry ignores \`NODE_TLS_REJECT_UNAUTHORIZED\`, with a warning.

A gateway in front of a stack may want more than the key of the stack:

\`\`\`yaml
stacks:
  production:
    variant: self-hosted
    baseUrl: https://stack.example.com
    apiKey: \${env:PROD_KEY}
    headers:
      CF-Access-Client-Id: \${env:GATE_ID}
      CF-Access-Client-Secret: \${env:GATE_SECRET}
      x-hdx-team: 65f0c0ffee0000000000aaaa
    clientCertificateFile: client.pem
    clientKeyFile: client.key
    clientKeyPassphrase: \${file:secrets/client-passphrase}
\`\`\`

\`headers\` are sent with every request to the stack, and nowhere else: not after a redirect, and not to a health check. The values of \`\${env:…}\` and \`\${file:…}\` are secrets. stackferry prints none of them, and writes no archive that contains one. Write a value that is no secret, such as the id of a team, into the file itself, because records may contain it, too. The client certificate is presented to the stack alone, not to a proxy. \`doctor\` says which of these a stack uses.

## Many stacks

A profile is a set of members that several stacks share. \`extends\` in a stack names one profile or several. If two profiles have the same member, the later profile overrides the earlier one; a stack's own member overrides both. \`defaults\` apply to every stack that says nothing else. [samples/fleet.yaml](../samples/fleet.yaml) shows such a file.

## Editors

The package holds the JSON Schema of the file, and \`stackferry config schema\` prints it. Make \`# yaml-language-server: $schema=PATH\` the first line of the file, and editors complete and check it. \`stackferry completion bash|zsh|fish|powershell\` prints a completion script for your shell; it completes commands, flags and the names in the file.

## Every key
`;

/** Returns the page of the configuration file: how to use it, then every key. */
export function configurationPage() {
  const { properties } = configJsonSchema();
  const [managed, selfHosted, extending] = properties.stacks.additionalProperties.anyOf;
  const shared = Object.keys(managed.properties).filter((key) => key in selfHosted.properties && key !== "variant");
  const of = (schema) => ({
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([key]) => !shared.includes(key))),
  });
  const common = { ...managed, properties: Object.fromEntries(shared.map((key) => [key, managed.properties[key]])) };
  const onlyExtends = { properties: { extends: extending.properties.extends }, required: [] };
  return [
    FRONT,
    section(
      "stacks.NAME",
      `${properties.stacks.description}. Stacks of both variants have these keys:`,
      common,
      onlyExtends,
    ),
    section("stacks.NAME, managed", "A managed stack also has these keys:", of(managed)),
    section("stacks.NAME, self-hosted", "A self-hosted stack also has these keys:", of(selfHosted)),
    `### profiles.NAME\n\n${properties.profiles.description}: any key of a stack but \`extends\`.\n`,
    section("defaults", `${properties.defaults.description}.`, properties.defaults),
    section(
      "repositories.NAME",
      `${properties.repositories.description}.`,
      properties.repositories.additionalProperties,
    ),
    `### journals\n\n${properties.journals.description}.\n`,
    section("backup", `${properties.backup.description}.`, properties.backup),
    section(
      "redaction",
      `${properties.redaction.description}. [redaction](redaction.md#your-own-rules) has an example.`,
      properties.redaction,
    ),
  ].join("\n");
}

function section(title, text, ...schemas) {
  const lines = schemas.flatMap(({ properties, required = [] }) =>
    Object.entries(properties).flatMap(([key, schema]) => keyLines(key, schema, required.includes(key), "")),
  );
  return `### ${title}\n\n${text}\n\n${lines.join("\n")}\n`;
}

function keyLines(key, schema, required, indent) {
  if (schema.description === undefined) throw new Error(`the key ${key} has no description in src/config`);
  const about = `: ${schema.description.replaceAll("*", "\\*")}`;
  const first = `${indent}- \`${key}\` (${[typeOf(schema), ...(required ? ["required"] : [])].join(", ")})${about}`;
  const inner = schema.items?.properties ?? schema.properties ?? {};
  const wanted = schema.items?.required ?? schema.required ?? [];
  return [
    first,
    ...Object.entries(inner).flatMap(([name, member]) => keyLines(name, member, wanted.includes(name), `${indent}  `)),
  ];
}

function typeOf({ type, const: only, anyOf, items, minimum, maximum }) {
  if (only !== undefined) return `\`${only}\``;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(", or ");
  if (type === "array") return items.properties === undefined ? "list of texts" : "list of objects";
  if (maximum === Number.MAX_SAFE_INTEGER) return `number, at least ${minimum}`;
  if (type === "integer" || type === "number") return `number from ${minimum} to ${maximum}`;
  return { string: "text", boolean: "`true` or `false`", object: "object" }[type];
}
