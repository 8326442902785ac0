import { defineCommand } from "../program/parse/define-command.ts";
import type { GivenStack } from "../prompts/stack-questions.ts";

const PLACE = "env:NAME or file:PATH, never the key itself";

export const initCommand = defineCommand("init", {
  positionals: {},
  flags: {
    out: {
      type: "string",
      requiresArg: true,
      default: "stackferry.yaml",
      describe: "File to write; an existing configuration gets one more stack",
    },
    name: { type: "string", requiresArg: true, describe: "Name of the stack (default: production)" },
    variant: { choices: ["managed", "self-hosted"] as const, requiresArg: true, describe: "Which variant of the API" },
    url: {
      type: "string",
      requiresArg: true,
      describe: "http://HOST:8000, or https://HOST/v1/organizations/ORG/services/SVC",
    },
    add: { type: "boolean", describe: "Add the stack to the configuration that is there; write no new one" },
    "organization-id": {
      type: "string",
      requiresArg: true,
      describe: "Organisation of a managed stack, if it is not in the address",
    },
    "service-id": {
      type: "string",
      requiresArg: true,
      describe: "Service of a managed stack, if it is not in the address",
    },
    "api-key-from": { type: "string", requiresArg: true, describe: `Key of a self-hosted stack: ${PLACE}` },
    "key-id-from": { type: "string", requiresArg: true, describe: `Id of a managed stack's key: ${PLACE}` },
    "key-secret-from": { type: "string", requiresArg: true, describe: `Secret of a managed stack's key: ${PLACE}` },
  },
  examples: [
    ["init", "asks, tries the stack, and writes stackferry.yaml, or adds the stack to it"],
    ["init --variant self-hosted --url http://localhost:8000 --api-key-from env:STACKFERRY_API_KEY", "no questions"],
    ["init --add --name cloud", "adds a second stack, and refuses to begin a new file"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  prepare: (args) => {
    const flagValues: GivenStack = {
      name: args.name,
      variant: args.variant,
      url: args.url,
      organizationId: args["organization-id"],
      serviceId: args["service-id"],
      keys: {
        apiKey: args["api-key-from"],
        keyId: args["key-id-from"],
        keySecret: args["key-secret-from"],
      },
    };
    return async (session) =>
      (await import("../runs/init.ts")).runInit(flagValues, { out: args.out, mustExist: args.add === true }, session);
  },
});
