import { assertEquals } from "@std/assert";
import { test } from "../../support/test.ts";
import { Random, seedOf } from "../suite/random.ts";
import { askedFor, type FaultRule, hits, requestFaultFor, watchFaultFor } from "./rules.ts";

function asked(method: string, path: string) {
  return askedFor(method, new URL(path, "http://localhost"));
}

test("A request is read as what it asks for", () => {
  const cases: readonly (readonly [string, string, ...(string | undefined)[]])[] = [
    ["GET", "/apis/batch/v1/jobs?limit=500", "list", "jobs", undefined, undefined],
    ["GET", "/apis/batch/v1/jobs?watch=true", "watch", "jobs", undefined, undefined],
    ["GET", "/apis/batch/v1/namespaces/a/jobs/b", "get", "jobs", "a", "b"],
    ["POST", "/apis/batch/v1/namespaces/a/jobs", "create", "jobs", "a", undefined],
    ["PUT", "/apis/batch.tutorial.kubebuilder.io/v1/namespaces/a/cronjobs/b/status", "update", "cronjobs", "a", "b"],
    ["PATCH", "/api/v1/namespaces/a/pods/b", "patch", "pods", "a", "b"],
    ["DELETE", "/api/v1/namespaces/a", "delete", "namespaces", undefined, "a"],
    ["GET", "/version", "get", "", undefined, undefined],
  ];
  for (const [method, path, ...expected] of cases) {
    const { verb, resource, namespace, name } = asked(method, path);
    assertEquals([verb, resource, namespace, name], expected, `${method} ${path}`);
  }
});

test("A rule is for the verbs, resources and the namespace that it names", () => {
  const creation = asked("POST", "/apis/batch/v1/namespaces/a/jobs");
  assertEquals(hits({}, creation), true);
  assertEquals(hits({ verbs: ["create"], resources: ["jobs"], namespace: "a" }, creation), true);
  assertEquals(hits({ verbs: ["list"] }, creation), false);
  assertEquals(hits({ resources: ["leases"] }, creation), false);
  assertEquals(hits({ namespace: "b" }, creation), false);
});

test("The same seed chooses the same faults, and each kind of rule is for its own", () => {
  const rules: readonly FaultRule[] = [
    { target: {}, chance: 0.5, fault: { of: "request", is: { kind: "reset", when: "before" } } },
    { target: { verbs: ["watch"] }, chance: 1, fault: { of: "watch", is: { kind: "mute" } } },
  ];
  const creation = asked("POST", "/apis/batch/v1/namespaces/a/jobs");
  const choices = (seed: number) => {
    const random = new Random(seedOf(seed, "reset/3"));
    return Array.from({ length: 40 }, () => requestFaultFor(rules, creation, random)?.kind);
  };
  assertEquals(choices(1), choices(1));
  assertEquals(new Set(choices(1)), new Set(["reset", undefined]));
  assertEquals(choices(1).join() === choices(2).join(), false);
  assertEquals(watchFaultFor(rules, creation, new Random(1)), undefined);
  assertEquals(watchFaultFor(rules, asked("GET", "/apis/batch/v1/jobs?watch=true"), new Random(1))?.kind, "mute");
});
