import type { ApiRequest } from "../http/exchange.ts";
import { all, atMostBytes, must, oneOf } from "../kinds/validation/check.ts";
import { type Findings, forbidden, found, notSupported, required } from "../kinds/validation/field_errors.ts";
import { isTrue } from "../reading/list_options.ts";
import { invalid, optionsKind } from "../refusals.ts";
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

/** `ApplyOptions` are those of a patch that applies. */
type WriteOptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "ApplyOptions";

const MAX_MANAGER_BYTES = 128;

/** Meta `ValidateFieldManager`. */
const FIELD_MANAGER = all(
  atMostBytes(MAX_MANAGER_BYTES),
  must("must have printable characters alone", (manager: string) => !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(manager)),
);

/** Meta `ValidateCreateOptions` and the like. */
function errorsOf(query: URLSearchParams, optionsOf: WriteOptionsKind): Findings {
  const manager = query.get("fieldManager") ?? "";
  return [
    optionsOf === "ApplyOptions" && !manager && required("fieldManager", "is required for apply patch"),
    optionsOf === "PatchOptions" && query.has("force") &&
    forbidden("force", "may not be specified for non-apply patch"),
    FIELD_MANAGER(manager, "fieldManager"),
    dryRunErrors(query.getAll("dryRun")),
    oneOf("", "Ignore", "Strict", "Warn")(query.get("fieldValidation") ?? "", "fieldValidation"),
  ];
}

/** @throws {Refusal} 422 */
export function parseWriteOptions({ query, header }: ApiRequest, optionsOf: WriteOptionsKind): WriteOptions {
  const errors = found(errorsOf(query, optionsOf));
  if (errors.length) throw invalid(optionsKind(optionsOf === "ApplyOptions" ? "PatchOptions" : optionsOf), "", errors);
  const manager = query.get("fieldManager") ?? "";
  return {
    dryRun: query.getAll("dryRun").length > 0,
    fieldManager: manager,
    manager: manager || managerOf(header("user-agent")),
    fieldValidation: (query.get("fieldValidation") || "Warn") as FieldValidation,
    force: isTrue(query.get("force")),
  };
}

/** Returns what is wrong with `dryRun`, of which there is `All` alone. */
export function dryRunErrors(values: readonly string[]): Findings {
  return values.some((value) => value !== "All") && notSupported("dryRun", values, ["All"]);
}

/** `kubectl/v1.32.4 (linux/amd64) …` is `kubectl`. */
function managerOf(userAgent: string | undefined): string {
  return (userAgent ?? "").replace(/\/.*/, "").trim().slice(0, MAX_MANAGER_BYTES) || "unknown";
}
