import type { Status } from "../kube/api_error.ts";
import type { FieldError, ResourceKind } from "./resource_kind.ts";

/** Thrown anywhere in the server to answer the request with a failure `Status`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;
  /** Empty where Kubernetes gives none. */
  readonly reason: string;
  readonly details: Status["details"];
  /** Texts for `Warning` headers. */
  warnings: readonly string[] = [];

  constructor(code: number, reason: string, message: string, details?: Status["details"]) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The body of the answer. */
  toStatus(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      ...(this.reason ? { reason: this.reason } : {}),
      ...(this.details ? { details: this.details } : {}),
      code: this.code,
    };
  }
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, "BadRequest", message);
}

/** 422 with one cause an error. `kind` and `group` may be empty, as in the answers to bad patches. */
export function invalid(
  kind: Pick<ResourceKind, "group" | "kind">,
  name: string,
  errors: readonly FieldError[],
): Refusal {
  const texts = [...new Set(errors.map(({ field, message }) => field ? `${field}: ${message}` : message))];
  const qualified = kind.group ? `${kind.kind}.${kind.group}` : kind.kind;
  const summary = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new Refusal(422, "Invalid", `${qualified} ${JSON.stringify(name)} is invalid: ${summary}`, {
    ...(name ? { name } : {}),
    ...(kind.group ? { group: kind.group } : {}),
    ...(kind.kind ? { kind: kind.kind } : {}),
    causes: errors.map(({ type, message, field }) => ({ reason: type, message, field })),
  });
}
