import { Validator } from "@cfworker/json-schema";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { parse } from "yaml";
import { writtenFiles } from "../../../deploy/write.ts";
import { type Change, conditional } from "../../../src/manifests/helm/conditional.ts";
import { printPart } from "../../../src/manifests/helm/print.ts";
import { test } from "../../support/test.ts";

const FILES = await writtenFiles();
const file = (path: string) => FILES.get(`helm/cronjob-controller/${path}`)!;

type Flags = readonly ("a" | "b")[];
const A: Change<Flags> = { when: { if: "$a" }, from: [], to: ["a"] };
const B: Change<Flags> = { when: { if: "$b" }, from: [], to: ["b"] };

function printed(of: (flags: Flags) => unknown): string {
  return printPart(conditional(of, [], [A, B]), []).join("\n");
}

test("a part that a change adds is printed under its condition, before what follows it", () => {
  const text = printed((flags) => ({ args: ["first", ...flags, "last"] }));
  assertEquals(
    text,
    `args:\n  - first\n  {{- if $a }}\n  - a\n  {{- end }}\n  {{- if $b }}\n  - b\n  {{- end }}\n  - last`,
  );
});

test("what several changes add is printed once, with what only one of them adds inside", () => {
  const text = printed((flags) =>
    flags.length > 0 ? { rules: [{ resources: ["jobs"], verbs: ["get", ...flags] }] } : {}
  );
  assertEquals(
    text,
    [
      "{{- if or ($a) ($b) }}",
      "rules:",
      "  - resources:",
      "      - jobs",
      "    verbs:",
      "      - get",
      "      {{- if $a }}",
      "      - a",
      "      {{- end }}",
      "      {{- if $b }}",
      "      - b",
      "      {{- end }}",
      "{{- end }}",
    ].join("\n"),
  );
});

test("what turns one value into another is no matter of conditions", () => {
  assertThrows(() => printed((flags) => ({ replicas: flags.length })), Error, "a change from 0 to 1");
});

test("what others would read as a template is rendered as it is", () => {
  assertEquals(printed(() => ({ summary: "CronJob {{ $labels.cronjob }}" })).split("{{").length, 3);
});

test("values.yaml is what values.schema.json says by default, and is valid by it", () => {
  const schema = JSON.parse(file("values.schema.json"));
  const values = parse(file("values.yaml"));
  const defaultsOf = ({ properties, default: byDefault }: { properties?: object; default?: unknown }): unknown =>
    byDefault !== undefined
      ? byDefault
      : Object.fromEntries(Object.entries(properties!).map(([name, schema]) => [name, defaultsOf(schema)]));
  assertEquals(values, defaultsOf(schema));
  const validator = new Validator(schema, "7");
  assert(validator.validate(values).valid);
  for (
    const wrong of [{ replica: 1 }, { flags: { "log-levle": "info" } }, { dashboard: { kind: "tls", secret: "" } }]
  ) {
    assertEquals(validator.validate({ ...values, ...wrong }).valid, false, JSON.stringify(wrong));
  }
});

test("the chart takes every flag of the controller but those that its own values stand for", () => {
  const flags = Object.keys(JSON.parse(file("values.schema.json")).properties.flags.properties);
  for (const flag of ["concurrent-syncs", "kube-api-qps", "log-level", "shutdown-grace"]) assert(flags.includes(flag));
  for (const flag of ["api", "namespace", "jobs", "leader-elect", "leader-election-id", "help"]) {
    assertEquals(flags.includes(flag), false);
  }
});

test("YAML 1.1, which helm reads, takes no text of values.yaml for something else", () => {
  assertEquals(parse(file("values.yaml"), { version: "1.1" }), parse(file("values.yaml")));
});
