import type { EpochMs } from "../../../base/epoch_ms.ts";
import type { Json, ResourceTable } from "../../resource_kind.ts";
import { selectorText, since } from "./cells.ts";

/** The cell of an object in a column of `kubectl get`. No client shows the descriptions of kube-apiserver's columns. */
export type Column = (object: Json, now: EpochMs) => unknown;

/** Behind a column's name stand the type of its cells, unless they are strings, and `wide` if only `-o wide` shows it. */
const NAME_AND_TRAITS = /^(.*?)(?: (boolean|integer|date))?( wide)?$/;

/**
 * Returns a table of these columns, by their names: `Suspend boolean`, `Node wide`.
 *
 * @param conditions returns the conditions of an object's row, if it has any
 */
export function table(
  columns: Readonly<Record<string, Column>>,
  conditions?: (object: Json) => Json[] | undefined,
): ResourceTable {
  const cells = Object.values(columns);
  return {
    columns: Object.keys(columns).map((key) => {
      const [, name = "", type = "string", wide] = NAME_AND_TRAITS.exec(key)!;
      return { name, type, format: name === "Name" ? "name" : "", description: "", priority: wide ? 1 : 0 };
    }),
    row(object, now) {
      const found = conditions?.(object);
      return { cells: cells.map((cell) => cell(object, now)), ...(found && { conditions: found }) };
    },
  };
}

export const NAME: Column = ({ metadata }) => metadata.name;
export const AGE: Column = ({ metadata }, now) => since(metadata.creationTimestamp, now);

/** Returns the columns about the Pods of a Job, whose spec `specOf` finds. */
export function templateColumns(specOf: (object: Json) => Json): Readonly<Record<string, Column>> {
  const ofContainers = (field: "name" | "image") => (object: Json) =>
    (specOf(object).template.spec.containers ?? []).map((container: Json) => container[field]).join(",");
  return {
    "Containers wide": ofContainers("name"),
    "Images wide": ofContainers("image"),
    "Selector wide": (object) => selectorText(specOf(object).selector),
  };
}

/** The table of kinds that have no columns of their own. */
export const NAME_AND_CREATED: ResourceTable = table({
  Name: NAME,
  "Created At date": ({ metadata }) => metadata.creationTimestamp,
});
