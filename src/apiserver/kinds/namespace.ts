import type { Json } from "../resource_kind.ts";
import { copyField, defineKind, STATUS } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { AGE, NAME, table } from "./tables/columns.ts";
import { type Findings, found, invalidValue } from "./validation/field_errors.ts";
import { labelErrors } from "./validation/names.ts";
import { validateFinalizerNames } from "./validation/object_meta.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";
/** Held by the namespace controller until everything inside is gone. */
const FINALIZER = "kubernetes";

export const NAMESPACES = defineKind(CORE_TYPES, "Namespace", {
  namespaced: false,
  shortNames: ["ns"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: [{ name: "finalize", verbs: ["update"] }, STATUS],
  validateName: labelErrors,
  selectableFields: { "status.phase": "" },
  setDefaults: setNameLabel,
  prepareForCreate(namespace) {
    namespace.status = { phase: "Active" };
    const finalizers: string[] = (namespace.spec ??= {}).finalizers ?? [];
    namespace.spec.finalizers = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
    // A generated name is there only now.
    setNameLabel(namespace);
  },
  prepareForUpdate(namespace, old) {
    for (const field of ["spec", "status"]) copyField(field, old, namespace);
  },
  validate: ({ spec }) => found(validateFinalizerNames(spec?.finalizers ?? [], () => "spec.finalizers")),
  validateStatusUpdate: (namespace) => found(validatePhase(namespace)),
  table: table({
    Name: NAME,
    Status: ({ status }) => status?.phase ?? "",
    Age: AGE,
  }),
});

/** Core `ValidateNamespaceStatusUpdate`. */
function validatePhase({ metadata: { deletionTimestamp }, status }: Json): Findings {
  const [phase, when] = deletionTimestamp ? ["Terminating", "is not empty"] : ["Active", "is empty"];
  return status?.phase !== phase &&
    invalidValue("status.Phase", status?.phase ?? "", `may only be '${phase}' if \`deletionTimestamp\` ${when}`);
}

function setNameLabel({ metadata }: Json): void {
  if (metadata.name) (metadata.labels ??= {})[NAME_LABEL] = metadata.name;
}
