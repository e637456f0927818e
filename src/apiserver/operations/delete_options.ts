import type { ApiRequest } from "../http/exchange.ts";
import { badRequest, invalid, optionsKind } from "../refusals.ts";
import { defineKind } from "../kinds/define.ts";
import { rules } from "../kinds/validation/check.ts";
import { invalidValue, notSupported } from "../kinds/validation/field_errors.ts";
import type { Json } from "../resource_kind.ts";
import { isTrue, parseInteger } from "../reading/list_options.ts";
import { parseBody, readAs } from "../schema/decode.ts";
import { META_TYPES } from "../schema/types/meta.ts";
import { checkReadable, mediaType } from "./read_body.ts";
import { dryRunErrors } from "./write_options.ts";

export type Propagation = "Foreground" | "Background" | "Orphan";

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  /** Undefined: what the kind does by default. */
  readonly propagation: Propagation | undefined;
  /** As the request says it, in the older way. */
  readonly orphanDependents?: boolean;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The options that controllers use. */
export const BACKGROUND: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagation: "Background",
  preconditions: {},
};

/** Clients send it in the version of the resource, whichever that is. */
const DELETE_OPTIONS = defineKind(META_TYPES, "DeleteOptions");

/**
 * Reads a request's body; undefined if it is empty.
 *
 * @throws {Refusal} 400, 413, 415
 */
export async function readDeleteOptions(request: ApiRequest): Promise<Json | undefined> {
  const body = await request.body();
  if (body.length === 0) return undefined;
  checkReadable(request);
  const lenient = { contentType: mediaType(request), fieldValidation: "Ignore" } as const;
  const { value } = parseBody(body, DELETE_OPTIONS, lenient, () => DELETE_OPTIONS.schema);
  if (value.kind && value.kind !== "DeleteOptions") {
    throw badRequest(`the body must be of kind DeleteOptions, not ${value.kind}`);
  }
  return readAs(DELETE_OPTIONS, value, [], { ...lenient, refusal: badRequest }).object;
}

/** Meta `ValidateDeleteOptions`. */
const RULES = rules(
  "meta ValidateDeleteOptions",
  ({ propagationPolicy: policy, orphanDependents }) =>
    policy !== undefined && orphanDependents !== undefined &&
    invalidValue("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
  ["propagationPolicy", (policy, at) =>
    !["Foreground", "Background", "Orphan"].includes(policy) &&
    notSupported(at, policy, ["Foreground", "Background", "Orphan", "nil"])],
  ["dryRun", dryRunErrors],
);

/**
 * From the body, or where there is none from the query.
 *
 * @throws {Refusal}
 */
export function parseDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const given = body ?? fromQuery(query);
  const { dryRun = [], propagationPolicy, orphanDependents } = given;
  const errors = RULES(given, "");
  if (errors.length) throw invalid(optionsKind("DeleteOptions"), "", errors);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: given.gracePeriodSeconds ?? undefined,
    orphanDependents,
    propagation: propagationPolicy ??
      (typeof orphanDependents !== "boolean" ? undefined : orphanDependents ? "Orphan" : "Background"),
    preconditions: given.preconditions ?? {},
  };
}

function fromQuery(query: URLSearchParams): Json {
  const options: Json = {};
  if (query.has("dryRun")) options.dryRun = query.getAll("dryRun");
  if (query.has("propagationPolicy")) options.propagationPolicy = query.get("propagationPolicy");
  if (query.has("orphanDependents")) options.orphanDependents = isTrue(query.get("orphanDependents"));
  const grace = parseInteger(query.get("gracePeriodSeconds"));
  if (grace !== undefined) options.gracePeriodSeconds = grace;
  return options;
}
