// Columns of `kubectl get` that several kinds have, with the descriptions that kube-apiserver sends along.
import type { PrinterColumn, ResourceTable } from "../../resource_kind.ts";

export const NAME: PrinterColumn = {
  ...text(
    "Name",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  ),
  format: "name",
};
export const AGE: PrinterColumn = text(
  "Age",
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
);
export const CONTAINERS: PrinterColumn = wide(text("Containers", "Names of each container in the template."));
export const IMAGES: PrinterColumn = wide(text("Images", "Images referenced by each container in the template."));
export const SELECTOR: PrinterColumn = wide(
  text(
    "Selector",
    "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
  ),
);

/** The table of kinds that have no columns of their own. */
export const NAME_AND_CREATED: ResourceTable = {
  columns: [NAME, { ...text("Created At", AGE.description), type: "date" }],
  row: ({ metadata }) => ({ cells: [metadata.name, metadata.creationTimestamp] }),
};

/** A column of a CustomResourceDefinition, or one like it. */
export function column(name: string, type: string, description: string): PrinterColumn {
  return { name, type, format: "", description, priority: 0 };
}

export function text(name: string, description: string): PrinterColumn {
  return column(name, "string", description);
}

export function wide(shown: PrinterColumn): PrinterColumn {
  return { ...shown, priority: 1 };
}
