// What the real helm makes of the chart: `deno task test:chart` (needs helm on PATH).
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isDeepStrictEqual } from "node:util";
import type { PodSpec } from "kubernetes-types/core/v1";
import type { NetworkPolicySpec } from "kubernetes-types/networking/v1";
import type { PolicyRule } from "kubernetes-types/rbac/v1";
import { parse } from "yaml";
import { FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import { installOf, NAMESPACE } from "../../../src/manifests/install.ts";
import { type KubeManifest, objectsOf } from "../../../src/manifests/objects.ts";
import { rulesOf } from "../../../src/manifests/rbac.ts";
import { atLeast, must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { CASES, combinations, SCHEMA } from "../support/chart_cases.ts";
import { isHook } from "../support/chart_hooks.ts";
import { byIdentity, objectsIn } from "../support/kustomize.ts";
import { temporaryFolder } from "../../support/program.ts";
import { CHART, helm, helmOk, rendered } from "../support/real_helm.ts";
import { leavesOf, takenBy, valueAt } from "../support/value_schema.ts";

/**
 * By identity, and as they are compared: without the namespace, which Helm makes, without hooks, and without the mark that
 * keeps CRDs; with each right by itself, as rules may be joined or not.
 */
function comparable(objects: readonly KubeManifest[]): Record<string, unknown> {
  const compared = objects.filter((object) => object.kind !== "Namespace" && !isHook(object)).map((object) => {
    const { annotations, ...metadata } = object.metadata as KubeManifest["metadata"] & { annotations?: object };
    const { "helm.sh/resource-policy": _, ...others } = (annotations ?? {}) as Record<string, string>;
    const rights = "rules" in object && { rules: rightsOf(object.rules as PolicyRule[]) };
    return {
      ...object,
      ...rights,
      metadata: { ...metadata, ...Object.keys(others).length > 0 && { annotations: others } },
    } as KubeManifest;
  });
  return byIdentity(compared);
}

function rightsOf(rules: readonly PolicyRule[]): string[] {
  const rights = rules.flatMap(({ apiGroups = [], resources = [], resourceNames = ["*"], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${group}/${resource} ${name}`))
      )
    )
  );
  return [...new Set(rights)].sort();
}

for (const [name, { values, expected }] of Object.entries(CASES)) {
  test(`helm renders what manifests prints: ${name}`, async () => {
    assertEquals(comparable(await rendered(values, NAMESPACE)), comparable(expected));
  });
}

test("helm renders what manifests prints, whatever APIs, Jobs, timeouts and namespaces are together", async () => {
  const cases = combinations();
  assertEquals(cases.length, 28);
  for (const { values, expected } of cases) {
    assertEquals(comparable(await rendered(values, NAMESPACE)), comparable(expected));
  }
});

test("no value of the schema is left out of what is compared", async () => {
  const byDefault: unknown = parse(await Deno.readTextFile(`${CHART}/values.yaml`));
  const compared = [...Object.values(CASES), ...combinations()].map(({ values }) => values);
  const missing = leavesOf(SCHEMA).flatMap(({ path, schema }) => {
    const before = valueAt(byDefault, path);
    const given = compared.map((values) => valueAt(values, path) ?? before);
    const isOther = given.some((value) => !isDeepStrictEqual(value, before));
    const absent = takenBy(schema)?.filter((value) => !given.flat().includes(value)) ??
      (isOther ? [] : ["another value"]);
    return absent.map((value) => `${path.join(".")}: ${value}`);
  });
  assertEquals(missing, []);
});

test("a release in another namespace has everything there", async () => {
  const moved = JSON.stringify(objectsOf(installOf("base"))).replaceAll(NAMESPACE, "cron");
  assertEquals(comparable(await rendered({}, "cron")), comparable(JSON.parse(moved)));
});

test("a chart that depends on this one gives it values of Helm's own", async () => {
  const dependency =
    "{ name: cronjob-controller, version: '*', repository: '', condition: cronjob-controller.enabled }";
  await using umbrella = await temporaryFolder({
    "Chart.yaml": `apiVersion: v2\nname: umbrella\nversion: 1.0.0\ndependencies: [${dependency}]\n`,
  });
  await Deno.mkdir(`${umbrella.path}/charts`);
  await Deno.symlink(CHART, `${umbrella.path}/charts/cronjob-controller`);
  const render = async (enabled: boolean) =>
    objectsIn(
      await helmOk(["template", "release", umbrella.path, "--namespace", NAMESPACE], {
        values: { global: { registry: "r" }, "cronjob-controller": { enabled } },
      }),
    );
  assertEquals(comparable(await render(true)), comparable(objectsOf(installOf("base"))));
  assertEquals(await render(false), []);
});

test("the Pod that frees names after the release may reach the API server, and is reached by no one", async () => {
  const policies = (await rendered({ neverTwice: true }, "n")).filter(({ kind }) => kind === "NetworkPolicy")
    .map((policy) => policy as unknown as { spec: NetworkPolicySpec });
  const [own, hook] = [policies.find((policy) => !isHook(policy as never)), policies.find((p) => isHook(p as never))]
    .map((policy) => must(policy).spec);
  assertEquals(must(hook).podSelector.matchLabels, { "app.kubernetes.io/name": "cronjob-controller-free-names" });
  assertEquals(must(hook).egress, must(own).egress);
  assertEquals(must(hook).ingress, undefined);
});

test("no Job frees names where it would not run, or is not wanted", async () => {
  for (const values of [{ jobs: "all" }, { freeNamesOnUninstall: false }]) {
    assertEquals((await rendered({ neverTwice: true, ...values }, "n")).filter(isHook), []);
  }
});

const RELEASE = "cronjob-controller release --all --all-namespaces";
const FREE_NAMES = "cronjob-controller release --finalizers --all --all-namespaces";
const LABEL = "kubectl label namespace monitoring metrics=enabled";
const NOTED: [values: object, commands: string[]][] = [
  [{}, [RELEASE]],
  [{ managedOnly: false }, []],
  [{ apis: ["cronjob-controller.dev/v1"] }, []],
  [{ neverTwice: true }, [RELEASE]],
  [{ neverTwice: true, freeNamesOnUninstall: false }, [RELEASE, FREE_NAMES]],
  [{ neverTwice: true, jobs: "all", managedOnly: false }, [FREE_NAMES]],
  [{ monitoring: { serviceMonitor: true } }, [RELEASE, LABEL]],
];

for (const [values, commands] of NOTED) {
  test(`the notes of a release name the commands that it needs: ${JSON.stringify(values)}`, async () => {
    const notes = await helmOk(["install", "release", CHART, "--dry-run=client"], { values });
    assertEquals([RELEASE, FREE_NAMES, LABEL].filter((command) => notes.includes(`\n  ${command}\n`)), commands);
  });
}

test("the Pod that frees names after the release is locked in as a replica is", async () => {
  const pod = { priorityClassName: "high", imagePullSecrets: [{ name: "registry" }] };
  const objects = await rendered({ neverTwice: true, pod, namespaces: ["a", "b"] }, "n");
  const podSpecs = objects.filter(({ kind }) => kind === "Deployment" || kind === "Job")
    .map((object) => (object as unknown as { spec: { template: { spec: PodSpec } } }).spec.template.spec);
  const [hook, replica] = podSpecs.map(({ containers, securityContext, nodeSelector, ...others }) => {
    const [{ image, resources, securityContext: locked }, ...more] = atLeast(1, containers);
    assertEquals(more, []);
    const { priorityClassName, imagePullSecrets } = others;
    return { securityContext, nodeSelector, priorityClassName, imagePullSecrets, image, resources, locked };
  });
  assertEquals(hook, replica);
  assertEquals(must(hook).priorityClassName, "high");
});

test("CRDs stay when the release goes", async () => {
  const definitions = (await rendered({}, "n")).filter(({ kind }) => kind === "CustomResourceDefinition");
  const annotations = definitions.map(({ metadata }) => (metadata as unknown as { annotations: object }).annotations);
  assertEquals(annotations, [{ "helm.sh/resource-policy": "keep" }]);
});

test("helm refuses values that the chart does not know, and says where", async () => {
  const cases: [values: object, place: string][] = [
    [{ apis: [] }, "/apis"],
    [{ apis: ["batch/v2"] }, "/apis/0"],
    [{ jobs: "some" }, "/jobs"],
    [{ namespaces: ["Team_A"] }, "/namespaces/0"],
    [{ dashboard: { kind: "tls" } }, "/dashboard/secret"],
    [{ flags: { "kube-api-qsp": 5 } }, "/flags"],
    [{ flags: { "log-level": "loud" } }, "/flags/log-level"],
    [{ pod: { containers: [] } }, "/pod"],
    [{ image: { digest: "latest" } }, "/image/digest"],
    [{ replica: 2 }, "replica"],
  ];
  for (const [values, place] of cases) {
    const { code, stderr } = await helm(["template", "release", CHART], { values });
    assert(code !== 0, JSON.stringify(values));
    assertStringIncludes(stderr, place);
  }
  assertEquals((await helm(["template", "release", CHART], { values: { jobs: false } })).code, 0, "an unquoted off");
});

test("helm finds nothing wrong with the chart", async () => {
  assertStringIncludes(await helmOk(["lint", "--strict", CHART]), "1 chart(s) linted, 0 chart(s) failed");
});

test("the comparison finds a right that is missing", () => {
  const [first, ...rest] = atLeast(
    1,
    rulesOf([{
      resource: must(FLAVOURS[0]).resource,
      verbs: ["get", "list"],
      where: "watched",
    }]),
  );
  assertEquals(rest, []);
  assertEquals(rightsOf([first]).length, 2);
  assertEquals(rightsOf([{ ...first, verbs: ["get"] }]).length, 1);
});
