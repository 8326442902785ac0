import type { Topic } from "../rule.ts";
import { ABSENT } from "../rule.ts";

/** Connections: what a create takes. */
export const connections: Topic = {
  topic: "connections",
  only: "self-hosted",
  request: "POST connections",
  rules: [
    {
      rule: "full",
      recorded: [307],
      body: {
        name: "CH full",
        host: "http://127.0.0.1:8123",
        username: "reader",
        password: "example-password",
        hyperdxSettingPrefix: "custom_prefix",
        isPrometheusEndpoint: false,
      },
    },
    { rule: "minimal", recorded: [308], body: { name: "CH min", host: "http://127.0.0.1:8123", username: "default" } },
    {
      rule: "same name again",
      recorded: [309],
      body: { name: "CH min", host: "http://127.0.0.1:8123", username: "default" },
    },
    {
      rule: "prometheus endpoint",
      recorded: [310],
      body: { name: "Prom", host: "http://127.0.0.1:9090", username: "", password: "", isPrometheusEndpoint: true },
    },
    { rule: "empty name and host", recorded: [311], body: { name: "", host: "", username: "" } },
    { rule: "host not a url", recorded: [312], body: { name: "no url", host: "not a url", username: "default" } },
    {
      rule: "no host",
      recorded: [313],
      body: { name: "x", username: "default" },
      refused: "Body validation failed: host: Required",
    },
    {
      rule: "no members",
      recorded: [314],
      body: {},
      refused: "Body validation failed: name: Required; host: Required; username: Required",
    },
    {
      rule: "null password",
      recorded: [315],
      body: { name: "x", host: "http://127.0.0.1:8123", username: "default", password: null },
      refused: "Body validation failed: password: Expected string, received null",
    },
    {
      rule: "null prefix",
      recorded: [316],
      body: { name: "np", host: "http://127.0.0.1:8123", username: "default", hyperdxSettingPrefix: null },
      members: { hyperdxSettingPrefix: ABSENT },
    },
    {
      rule: "bad prefix",
      recorded: [317],
      body: { name: "x", host: "http://127.0.0.1:8123", username: "default", hyperdxSettingPrefix: "a-b" },
      refused: "Body validation failed: hyperdxSettingPrefix: Invalid",
    },
    {
      rule: "unknown members dropped",
      recorded: [318],
      body: { name: "unk", host: "http://127.0.0.1:8123", username: "default", platformProvisioned: true, nope: 1 },
      members: { platformProvisioned: ABSENT, nope: ABSENT },
    },
  ],
};
