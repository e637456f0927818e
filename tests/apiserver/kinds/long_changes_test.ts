import { nameConflicts } from "../../../src/apiserver/controllers/definition_names.ts";
import { customKind } from "../../../src/apiserver/kinds/custom.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../../src/apiserver/kinds/custom_resource_definition.ts";
import { JOBS } from "../../../src/apiserver/kinds/job.ts";
import { PODS } from "../../../src/apiserver/kinds/pod.ts";
import { firstCommonIndex } from "../../../src/apiserver/kinds/validation/job_policies.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../src/apiserver/kinds/validation/object_meta.ts";
import { mergeValues } from "../../../src/apiserver/patch/typed_value.ts";
import { unmergeable } from "../../../src/apiserver/patch/unmergeable.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { table } from "../../support/table.ts";
import { made } from "../support/made.ts";
import { WIDGETS } from "../support/widgets.ts";
import { inProportion } from "../support/in_proportion.ts";

const list = <T>(size: number, item: (index: number) => T) => Array.from({ length: size }, (_, index) => item(index));
const names = (size: number) => list(size, (index) => `n${index}`);
const named = (size: number) => names(size).map((name) => ({ name }));
const job = (spec: Json, template: Json = {}) =>
  made(JOBS, {
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "i" }], ...template } },
      ...spec,
    },
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
    return () => validateObjectMetaUpdate(next!.metadata, old!.metadata, JOBS);
  }],
  ["owners that all control", 1_000, (size) => {
    const ownerReferences = list(
      size,
      (uid) => ({ apiVersion: "v1", kind: "K", name: "n", uid: `${uid}`, controller: true }),
    );
    return () => JSON.stringify(validateObjectMeta({ name: "a", namespace: "n", ownerReferences }, PODS));
  }],
  ["exit codes", 20_000, (size) => {
    const onExitCodes = { operator: "In", values: list(size, (index) => index + 1) };
    const policy = job({ podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes }] } });
    return () => JOBS.validate(policy);
  }],
  ["containers that a policy names", 2_000, (size) => {
    const rules = names(size).map((containerName) => ({
      action: "Ignore",
      onExitCodes: { containerName, operator: "In", values: [1] },
    }));
    const containers = named(size).map((container) => ({ ...container, image: "i" }));
    const policy = job({ podFailurePolicy: { rules } }, { containers });
    return () => JOBS.validate(policy);
  }],
  ["indexes", 2_000, (size) => {
    const [even, odd] = [0, 1].map((rest) => list(size, (index) => 2 * index + rest).join());
    return () => firstCommonIndex(even!, odd!, 2 * size);
  }],
  ["short names of a definition", 3_000, (size) => {
    const shortNames = names(size), kind = definition({ names: { ...WIDGETS.spec.names, shortNames } });
    return () => [CUSTOM_RESOURCE_DEFINITIONS.validate(kind), nameConflicts(kind, [kind])];
  }],
  ["versions of one name", 1_500, (size) => {
    const kind = definition({ versions: list(size, () => WIDGETS.spec.versions[0]) });
    return () => JSON.stringify(CUSTOM_RESOURCE_DEFINITIONS.validate(kind));
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
    return () => kind.validateUpdate(next!, old!);
  }],
  ["items that are applied again", 5_000, (size) => {
    const schema = { type: "list", listType: "set", items: { type: "string" } } as const;
    const [live, wanted] = [names(size), names(size)];
    return () => mergeValues(live, wanted, schema);
  }],
  ["unknown fields of one item", 5_000, (size) => {
    const container = Object.fromEntries(names(size).map((name) => [name, 1]));
    return () => unmergeable({ spec: { containers: [{ name: "m", ...container }] } }, PODS.schema);
  }],
];

table("any number is looked at in time that grows with it", WORK, (size, prepare) => void inProportion(size, prepare));
