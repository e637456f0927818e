import type { EpochMs } from "../../../schedule/epoch_ms.ts";
import type { Json, ResourceTable } from "../../resource_kind.ts";
import { since } from "./cells.ts";
import { AGE, column, NAME_AND_CREATED } from "./columns.ts";
import { compileJsonPath } from "./json_path.ts";

/** Returns the table that a definition's `additionalPrinterColumns` describe. */
export function customTable(columns: readonly Json[] | undefined): ResourceTable {
  const shown = columns?.length ? columns : [AGE_COLUMN];
  const cells = shown.map(({ type, jsonPath }) => ({ type, find: compileJsonPath(jsonPath) }));
  return {
    columns: [
      ...NAME_AND_CREATED.columns.slice(0, 1),
      ...shown.map(({ name, type, format = "", description, jsonPath, priority = 0 }) => ({
        ...column(name, type, description || `Custom resource definition column (in JSONPath format): ${jsonPath}`),
        format,
        priority,
      })),
    ],
    row: (object, now) => ({
      cells: [object.metadata.name, ...cells.map(({ type, find }) => cell(type, find(object), now))],
    }),
  };
}

const AGE_COLUMN: Json = { name: "Age", type: "date", description: AGE[0], jsonPath: ".metadata.creationTimestamp" };

/** A value of another type than its column's isn't shown. */
function cell(type: string, value: unknown, now: EpochMs): unknown {
  if (value === undefined || value === null) return null;
  if (type === "string") return typeof value === "string" ? value : JSON.stringify(value);
  if (type === "date") return typeof value === "string" ? since(value, now, "<invalid>") : "<invalid>";
  if (type === "integer") return typeof value === "number" ? Math.trunc(value) : null;
  return typeof value === type && ["boolean", "number"].includes(type) ? value : null;
}
