import type { Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { copyField, defineKind, STATUS, takeStatusFrom } from "./define.ts";
import { AGE, NAME, table } from "./tables/columns.ts";
import { labelErrors } from "./validation/names.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";
/** Held by the namespace controller until everything inside is gone. */
const FINALIZER = "kubernetes";

export const NAMESPACES = defineKind({
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
  shortNames: ["ns"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: [{ name: "finalize", verbs: ["update"] }, STATUS],
  validateName: labelErrors,
  schema: KUBERNETES_TYPES.object("core.Namespace"),
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
    copyField("spec", old, namespace);
    takeStatusFrom(namespace, old);
  },
  table: table({
    Name: NAME,
    Status: ["The status of the namespace", ({ status }) => status?.phase ?? ""],
    Age: AGE,
  }),
});

function setNameLabel({ metadata }: Json): void {
  if (metadata.name) (metadata.labels ??= {})[NAME_LABEL] = metadata.name;
}
