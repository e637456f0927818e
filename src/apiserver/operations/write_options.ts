import { badRequest, invalid, optionsKind } from "../refusals.ts";
import type { FieldError } from "../resource_kind.ts";
import type { FieldValidation } from "../schema/decode.ts";

/** The query of a create, an update or a patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** The parameter; empty where there is none. */
  readonly fieldManager: string;
  /** The parameter, else the first part of the User-Agent. */
  readonly manager: string;
  readonly fieldValidation: FieldValidation;
  /** Server-side apply only. */
  readonly force: boolean;
}

export type WriteOptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const MAX_MANAGER_BYTES = 128;

/** @throws {Refusal} 422 */
export function parseWriteOptions(
  query: URLSearchParams,
  userAgent: string | undefined,
  optionsOf: WriteOptionsKind,
): WriteOptions {
  const manager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const errors: FieldError[] = [...dryRunErrors(query.getAll("dryRun"))];
  if (new TextEncoder().encode(manager).length > MAX_MANAGER_BYTES) {
    errors.push({
      type: "FieldValueTooLong",
      field: "fieldManager",
      message: `Too long: may not be more than ${MAX_MANAGER_BYTES} bytes`,
    });
  }
  if (!["", "Ignore", "Warn", "Strict"].includes(validation)) {
    errors.push({
      type: "FieldValueNotSupported",
      field: "fieldValidation",
      message: `Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`,
    });
  }
  if (errors.length) throw invalid(optionsKind(optionsOf), "", errors);
  return {
    dryRun: query.getAll("dryRun").length > 0,
    fieldManager: manager,
    manager: manager || managerOf(userAgent),
    fieldValidation: (validation || "Warn") as FieldValidation,
    force: parseBoolean(query.get("force")),
  };
}

export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === "All")) return [];
  return [{
    type: "FieldValueNotSupported",
    field: "dryRun",
    message: `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`,
  }];
}

/** `kubectl/v1.32.4 (linux/amd64) …` is `kubectl`. */
function managerOf(userAgent: string | undefined): string {
  return (userAgent ?? "").split("/")[0].trim().slice(0, MAX_MANAGER_BYTES) || "unknown";
}

function parseBoolean(text: string | null): boolean {
  if (text === null || text === "") return false;
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
  throw badRequest(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
}
