import type { PrinterColumn, ResourceTable } from "../../resource_kind.ts";

export const NAME_COLUMN: PrinterColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a " +
    "client to request the generation of an appropriate name automatically. Name is primarily intended for creation " +
    "idempotence and configuration definition. Cannot be updated. More info: " +
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  priority: 0,
};

/** The table of kinds that have no columns of their own. */
export const NAME_AND_CREATED: ResourceTable = {
  columns: [NAME_COLUMN, {
    name: "Created At",
    type: "date",
    format: "",
    description: "",
    priority: 0,
  }],
  row: (object) => ({ cells: [object.metadata.name, object.metadata.creationTimestamp] }),
};
