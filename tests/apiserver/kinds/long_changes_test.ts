import { nameConflicts } from "../../../src/apiserver/controllers/definition_names.ts";
import { customKind } from "../../../src/apiserver/kinds/custom.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../../src/apiserver/kinds/custom_resource_definition.ts";
import { JOBS } from "../../../src/apiserver/kinds/job.ts";
import { PODS } from "../../../src/apiserver/kinds/pod.ts";
import { firstCommonIndex } from "../../../src/apiserver/kinds/validation/job_policies.ts";
import { validateCommonUpdate, validateObjectMeta } from "../../../src/apiserver/kinds/validation/object_meta.ts";
import { mergeValues } from "../../../src/apiserver/patch/typed_value.ts";
import { typedErrors } from "../../../src/apiserver/patch/typed_errors.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { table } from "../../support/table.ts";
import { CONTEXT, made } from "../support/made.ts";
import { WIDGETS } from "../support/widgets.ts";
import { inProportion } from "../support/in_proportion.ts";

const list = <T>(size: number, item: (index: number) => T) => Array.from({ length: size }, (_, index) => item(index));
const names = (size: number) => list(size, (index) => `n${index}`);
const named = (size: number) => names(size).map((name) => ({ name }));
const pod = (spec: Json, more: Json = {}) =>
  made(PODS, { spec: { containers: [{ name: "m", image: "i" }], ...spec }, ...more });
const job = (spec: Json, template: Json = {}) =>
  made(JOBS, {
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "i" }], ...template } },
      ...spec,
    },
  });
const statusOf = (spec: Json, was: Json, is: Json) => {
  const [old, next] = [was, is].map((status) => ({ ...pod(spec), status }));
  return () => PODS.validateStatusUpdate(next!, old!, CONTEXT);
};
const affinity = (term: Json) => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "z", ...term }] } },
});
const definition = (spec: Json) => ({
  ...structuredClone(WIDGETS),
  spec: { ...structuredClone(WIDGETS.spec), ...spec },
});

/** The work with lists of some length, which would take very long if each item were looked for among all others. */
const WORK: readonly (readonly [title: string, size: number, prepare: (size: number) => () => unknown])[] = [
  ["finalizers that are kept", 5_000, (size) => {
    const finalizers = names(size).map((name) => `x/${name}`);
    const [old, next] = [finalizers, finalizers.toReversed()].map((each) => ({
      metadata: { name: "a", finalizers: each },
    }));
    return () => validateCommonUpdate(next!, old!, JOBS);
  }],
  ["owners that all control", 1_000, (size) => {
    const ownerReferences = list(
      size,
      (uid) => ({ apiVersion: "v1", kind: "K", name: "n", uid: `${uid}`, controller: true }),
    );
    return () => JSON.stringify(validateObjectMeta({ name: "a", namespace: "n", ownerReferences }));
  }],
  ["characters of a manager that cannot be printed", 2_000, (size) => {
    const managedFields = [{ manager: "\u0001".repeat(size), operation: "Update" }];
    return () => JSON.stringify(validateObjectMeta({ name: "a", namespace: "n", managedFields }));
  }],
  ["registries of one volume", 2_000, (size) => {
    const spec = pod({ volumes: [{ name: "v", quobyte: { registry: "a,".repeat(size), volume: "v" } }] });
    return () => JSON.stringify(PODS.validate(spec, CONTEXT));
  }],
  ["tolerations that are kept", 200, (size) => {
    const tolerations = list(size, (index) => ({ key: `k${index}`, operator: "Exists" }));
    const [old, next] = [pod({ tolerations }), pod({ tolerations: tolerations.toReversed() })];
    return () => PODS.validateUpdate(next, old, CONTEXT);
  }],
  ["keys that labels are selected by", 3_000, (size) => {
    const matchExpressions = [...names(size), ...names(size)].map((key) => ({ key, operator: "Exists" }));
    const spec = pod(affinity({
      labelSelector: { matchExpressions },
      matchLabelKeys: names(size),
      mismatchLabelKeys: names(size).toReversed(),
    }));
    return () => PODS.validate(spec, CONTEXT);
  }],
  ["claims beside those that are made for the Pod", 10_000, (size) => {
    const template = { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } } };
    const own = named(size).map((volume) => ({ ...volume, ephemeral: { volumeClaimTemplate: template } }));
    const others = list(size, (index) => ({ name: `o${index}`, persistentVolumeClaim: { claimName: `c${index}` } }));
    const spec = pod({ volumes: [...own, ...others] });
    return () => PODS.validate(spec, CONTEXT);
  }],
  ["profiles of containers", 1_000, (size) => {
    const annotations = Object.fromEntries(
      names(size).map((name) => [`container.apparmor.security.beta.kubernetes.io/${name}`, "unconfined"]),
    );
    const containers = named(size).map((container) => ({ ...container, image: "i" }));
    const spec = pod({ containers }, { metadata: { annotations } });
    return () => PODS.validate(spec, CONTEXT);
  }],
  ["requests of one claim", 3_000, (size) => {
    const claims = names(size).map((request) => ({ name: "c", request }));
    const spec = pod({ resourceClaims: [{ name: "c", resourceClaimName: "r" }] });
    spec.spec.containers[0].resources = { claims };
    return () => PODS.validate(spec, CONTEXT);
  }],
  ["amounts of a Pod and its containers", 600, (size) => {
    const requests = Object.fromEntries(names(size).map((name) => [`hugepages-${name}`, "1"]));
    const containers = named(size).map((container) => ({
      ...container,
      image: "i",
      resources: { requests: { cpu: "1" } },
    }));
    const content = { containers, resources: { requests } };
    return () => PODS.validate(pod(content), CONTEXT);
  }],
  ["addresses of a Pod", 3_000, (size) => {
    const podIPs = names(size).map((ip) => ({ ip }));
    return statusOf({}, { podIPs }, { podIPs: podIPs.toReversed() });
  }],
  ["claims in a status", 3_000, (size) => {
    const resourceClaims = named(size).map((claim) => ({ ...claim, resourceClaimName: "r" }));
    return statusOf({ resourceClaims }, {}, { resourceClaimStatuses: named(size).toReversed() });
  }],
  ["containers that have ended", 2_000, (size) => {
    const containers = named(size).map((container) => ({ ...container, image: "i" }));
    const statuses = (state: Json) => ({
      containerStatuses: named(size).toReversed().map((one) => ({ ...one, state })),
    });
    return statusOf({ containers, restartPolicy: "Always" }, statuses({ terminated: { exitCode: 1 } }), statuses({}));
  }],
  ["exit codes", 20_000, (size) => {
    const onExitCodes = { operator: "In", values: list(size, (index) => index + 1) };
    const policy = job({ podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes }] } });
    return () => JOBS.validate(policy, CONTEXT);
  }],
  ["containers that a policy names", 5_000, (size) => {
    const rules = names(size).map((containerName) => ({
      action: "Ignore",
      onExitCodes: { containerName, operator: "In", values: [1] },
    }));
    const containers = named(size).map((container) => ({ ...container, image: "i" }));
    const policy = job({ podFailurePolicy: { rules } }, { containers });
    return () => JOBS.validate(policy, CONTEXT);
  }],
  ["indexes", 2_000, (size) => {
    const [even, odd] = [0, 1].map((rest) => list(size, (index) => 2 * index + rest).join());
    return () => firstCommonIndex(even!, odd!, 2 * size);
  }],
  ["short names of a definition", 3_000, (size) => {
    const shortNames = names(size), kind = definition({ names: { ...WIDGETS.spec.names, shortNames } });
    return () => [CUSTOM_RESOURCE_DEFINITIONS.validate(kind, CONTEXT), nameConflicts(kind, [kind])];
  }],
  ["versions of one name", 1_500, (size) => {
    const kind = definition({ versions: list(size, () => WIDGETS.spec.versions[0]) });
    return () => JSON.stringify(CUSTOM_RESOURCE_DEFINITIONS.validate(kind, CONTEXT));
  }],
  ["versions that are served", 250, (size) => {
    const versions = list(size, (index) => ({ ...WIDGETS.spec.versions[0], name: `v${index + 1}` }));
    const kind = definition({ versions });
    return () => versions.map(({ name }) => customKind(kind, name));
  }],
  ["items of a custom object that are kept", 1_000, (size) => {
    const kind = customKind(WIDGETS, "v1");
    const [old, next] = [named(size), named(size).toReversed()].map((parts) => ({
      metadata: { name: "w", namespace: "n" },
      spec: { size: 1, parts },
    }));
    return () => kind.validateUpdate(next!, old!, CONTEXT);
  }],
  ["items that are applied again", 20_000, (size) => {
    const schema = { type: "list", listType: "set", items: { type: "string" } } as const;
    const [live, wanted] = [names(size), names(size)];
    return () => mergeValues(live, wanted, schema);
  }],
  ["unknown fields of one item", 20_000, (size) => {
    const container = Object.fromEntries(names(size).map((name) => [name, 1]));
    return () => typedErrors({ spec: { containers: [{ name: "m", ...container }] } }, PODS.schema);
  }],
];

table("any number is looked at in time that grows with it", WORK, (size, prepare) => void inProportion(size, prepare));
