import { type EpochMs, parseTime } from "../../../schedule/epoch_ms.ts";
import type { Json, ResourceTable } from "../../resource_kind.ts";
import { humanDuration } from "./cells.ts";
import { AGE, column, NAME } from "./columns.ts";
import { compileJsonPath } from "./json_path.ts";

/** The table that a definition's `additionalPrinterColumns` describe. */
export function customTable(columns: readonly Json[] | undefined): ResourceTable {
  const shown = columns?.length ? columns : [AGE_COLUMN];
  const cells = shown.map(({ type, jsonPath }) => ({ type, find: compileJsonPath(jsonPath) }));
  return {
    columns: [
      NAME,
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

const AGE_COLUMN: Json = {
  name: "Age",
  type: "date",
  description: AGE.description,
  jsonPath: ".metadata.creationTimestamp",
};

/** A value of another type than its column's isn't shown. */
function cell(type: string, value: unknown, now: EpochMs): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "date": {
      const instant = typeof value === "string" ? parseTime(value) : undefined;
      return instant === undefined ? "<invalid>" : humanDuration(now - instant);
    }
    default:
      return null;
  }
}
