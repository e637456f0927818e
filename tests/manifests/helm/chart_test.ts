import { Validator } from "@cfworker/json-schema";
import { assert, assertEquals } from "@std/assert";
import type { Option } from "commander";
import { parse } from "yaml";
import { createProgram } from "../../../src/cli/main.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { CHART } from "../support/real_helm.ts";
import { leavesOf, valueAt, type ValueSchema } from "../support/value_schema.ts";

const VALUES = await Deno.readTextFile(`${CHART}/values.yaml`);
const SCHEMA = JSON.parse(await Deno.readTextFile(`${CHART}/values.schema.json`)) as ValueSchema;

test("values.yaml has every value of values.schema.json, and is valid by it", () => {
  const values = parse(VALUES);
  const validator = new Validator(SCHEMA as object, "7");
  assert(validator.validate(values).valid);
  const absent = leavesOf(SCHEMA).map(({ path }) => path.join("."))
    .filter((path) => !/^(?:flags|pod)[.]/.test(path) && valueAt(values, path.split(".")) === undefined);
  assertEquals(absent, []);
  for (
    const wrong of [{ replica: 1 }, { flags: { "log-levle": "info" } }, { dashboard: { kind: "tls", secret: "" } }]
  ) {
    assertEquals(validator.validate({ ...values, ...wrong }).valid, false, JSON.stringify(wrong));
  }
});

/** Flags that other values stand for, that the roles do not allow, or that a Pod has no use for. */
const NOT_FOR_USERS = [
  "api",
  "context",
  "dashboard-bind-address",
  "dashboard-tls-cert-file",
  "dashboard-tls-key-file",
  "health-probe-bind-address",
  "help",
  "history-dir",
  "jobs",
  "kubeconfig",
  "leader-elect",
  "leader-election-id",
  "leader-election-namespace",
  "managed-only",
  "metrics-bind-address",
  "namespace",
  "never-twice",
  "notify-form",
  "notify-secret-file",
  "notify-webhook",
  "ping-key-file",
  "ping-url",
];

function schemaOf({ argChoices, defaultValue }: Option): ValueSchema {
  if (argChoices) return { enum: argChoices };
  return { type: typeof defaultValue === "boolean" ? "boolean" : ["string", "number"] };
}

test("the chart takes every flag of the controller but those that its own values stand for, and its values", () => {
  const controller = must(createProgram("linux").commands.find((command) => command.name() === "controller"));
  const names = controller.options.map((option) => option.name());
  assertEquals(NOT_FOR_USERS.filter((name) => name !== "help" && !names.includes(name)), []);
  const flags = controller.options.filter((option) => !NOT_FOR_USERS.includes(option.name()))
    .map((option) => [option.name(), schemaOf(option)]);
  assertEquals(must(SCHEMA.properties?.flags).properties, Object.fromEntries(flags));
});

test("YAML 1.1, which helm reads, takes no text of values.yaml for something else", () => {
  assertEquals(parse(VALUES, { version: "1.1" }), parse(VALUES));
});
