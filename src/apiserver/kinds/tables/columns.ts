import type { EpochMs } from "../../../base/epoch_ms.ts";
import type { Json, PrinterColumn, ResourceTable } from "../../resource_kind.ts";
import { selectorText, since } from "./cells.ts";

/** A column of `kubectl get`: the description that kube-apiserver sends along, and the cell of an object. */
export type Column = readonly [description: string, cell: (object: Json, now: EpochMs) => unknown];

/** Behind a column's name stands what it holds, if that is no text, and whether it is shown by `-o wide` alone. */
const NAME_AND_TRAITS = /^(.*?)(?: (boolean|integer|date))?( wide)?$/;

/**
 * Returns a table of these columns, by their names: `Suspend boolean`, `Node wide`.
 *
 * @param conditions of a row, where it has any
 */
export function table(
  columns: Readonly<Record<string, Column>>,
  conditions?: (object: Json) => Json[] | undefined,
): ResourceTable {
  const cells = Object.values(columns).map(([, cell]) => cell);
  return {
    columns: Object.entries(columns).map(([key, [description]]) => {
      const [, name = "", type = "string", wide] = NAME_AND_TRAITS.exec(key)!;
      return { ...column(name, type, description), ...(name === "Name" && { format: "name" }), priority: wide ? 1 : 0 };
    }),
    row(object, now) {
      const found = conditions?.(object);
      return { cells: cells.map((cell) => cell(object, now)), ...(found && { conditions: found }) };
    },
  };
}

/** Returns a column that is shown without `-o wide` too. */
export function column(name: string, type: string, description: string): PrinterColumn {
  return { name, type, format: "", description, priority: 0 };
}

export const NAME: Column = [
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  ({ metadata }) => metadata.name,
];
export const AGE: Column = [
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  ({ metadata }, now) => since(metadata.creationTimestamp, now),
];
export const SELECTOR_DESCRIPTION =
  "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

/** Returns the columns about the Pods of a Job, whose spec `specOf` finds. */
export function templateColumns(specOf: (object: Json) => Json): Readonly<Record<string, Column>> {
  const ofContainers = (field: "name" | "image") => (object: Json) =>
    (specOf(object).template.spec.containers ?? []).map((container: Json) => container[field]).join(",");
  return {
    "Containers wide": ["Names of each container in the template.", ofContainers("name")],
    "Images wide": ["Images referenced by each container in the template.", ofContainers("image")],
    "Selector wide": [SELECTOR_DESCRIPTION, (object) => selectorText(specOf(object).selector)],
  };
}

/** The table of kinds that have no columns of their own. */
export const NAME_AND_CREATED: ResourceTable = table({
  Name: NAME,
  "Created At date": [AGE[0], ({ metadata }) => metadata.creationTimestamp],
});
