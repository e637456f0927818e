import type { Json } from "../../resource_kind.ts";
import { compareQuantities } from "../../../kube/quantity.ts";
import { META_TYPES } from "../../schema/types/meta.ts";
import { type Check, forbid, namedIfGiven, oneOf, REQUIRED, requiredAs, rules } from "./check.ts";
import { type Findings, invalidValue, required } from "./field_errors.ts";
import { validateLabelSelector } from "./label_selector.ts";
import { labelErrors, subdomainErrors } from "./names.ts";
import { validateAnnotations, validateLabels } from "./object_meta.ts";

/** What the template of a claim cannot say: Kubernetes gives it to the claim. */
const NOT_OF_TEMPLATES = Object.keys(META_TYPES.struct("ObjectMeta").properties ?? {})
  .filter((field) => field !== "labels" && field !== "annotations");

const TEMPLATE_META = rules(
  "core ValidateTemplateObjectMeta",
  ["annotations", validateAnnotations],
  ["labels", validateLabels],
  [NOT_OF_TEMPLATES, forbid("cannot be set")],
);

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

const DATA_SOURCE = rules(
  "core validateDataSource, validateDataSourceRef",
  [["name", "kind"], REQUIRED],
  ({ apiGroup, kind = "" }, at) =>
    !apiGroup && kind !== "PersistentVolumeClaim" &&
    invalidValue(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
  ["apiGroup", namedIfGiven(subdomainErrors)],
  ["namespace", namedIfGiven(labelErrors)],
);

const CLAIM = rules(
  "core ValidatePersistentVolumeClaimSpec",
  ["accessModes", requiredAs("at least 1 access mode is required")],
  ["selector", validateLabelSelector],
  [
    "accessModes",
    (modes: string[], at) => modes.map((mode) => oneOf(...ACCESS_MODES)(mode, at)),
    forbid(
      "may not use ReadWriteOncePod with other access modes",
      (modes: string[]) =>
        modes.includes("ReadWriteOncePod") &&
        modes.filter((one) => ACCESS_MODES.includes(one)).some((one) => one !== "ReadWriteOncePod"),
    ),
  ],
  storage,
  ["storageClassName", namedIfGiven(subdomainErrors)],
  ["volumeMode", oneOf("Block", "Filesystem")],
  [["dataSource", "dataSourceRef"], DATA_SOURCE],
  oneDataSource,
  ["volumeAttributesClassName", namedIfGiven(subdomainErrors)],
);

/** Kubernetes leaves `requests` out of the path. */
function storage({ resources }: Json, path: string): Findings {
  const at = `${path}.resources[storage]`, amount: string | undefined = resources?.requests?.storage;
  if (amount === undefined) return required(at);
  return compareQuantities(amount, "0") <= 0 && invalidValue(at, amount, "must be greater than zero");
}

/** What a claim is filled from may be said twice, but not otherwise. Kubernetes shows a path in the value's place. */
function oneDataSource({ dataSource, dataSourceRef }: Json, at: string): Findings {
  if (!dataSource || !dataSourceRef) return [];
  const why = dataSourceRef.namespace
    ? "may not be specified when dataSourceRef.namespace is specified"
    : ["apiGroup", "kind", "name"].some((field) => dataSource[field] !== dataSourceRef[field]) &&
      "must match dataSourceRef";
  return why && invalidValue(at, {}, why);
}

/** Core `ValidatePersistentVolumeClaimTemplate`: the claim that a Pod brings along. */
export const CLAIM_TEMPLATE: Check = rules(
  "core ValidatePersistentVolumeClaimTemplate",
  ["metadata", TEMPLATE_META],
  ["spec", CLAIM],
);
