import { messageOf } from "./kinds/validation/field_errors.ts";
import type { Status } from "../kube/api_error.ts";
import { qualifiedName } from "./kind_names.ts";
import type { FieldError, ResourceKind } from "./resource_kind.ts";

// Refusals: code, reason and details are kube-apiserver's, the words our own.

/** Thrown anywhere in the server to answer the request with a failure `Status`. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  /**
   * @param reason empty where Kubernetes gives none
   * @param metadata of lists: how to go on
   */
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details?: Status["details"],
    readonly metadata: { readonly continue?: string } = {},
  ) {
    super(message);
  }

  /** The body of the answer. */
  toStatus(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.metadata,
      status: "Failure",
      message: this.message,
      ...(this.reason ? { reason: this.reason } : {}),
      ...(this.details ? { details: this.details } : {}),
      code: this.code,
    };
  }
}

/** The request cannot be understood. */
export function badRequest(message: string): Refusal {
  return new Refusal(400, "BadRequest", message);
}

/** 422 with one cause an error. `kind` and `group` may be empty, as in the answers to bad patches. */
export function invalid(
  kind: Pick<ResourceKind, "group" | "kind">,
  name: string,
  errors: readonly FieldError[],
): Refusal {
  const qualified = kind.group ? `${kind.kind}.${kind.group}` : kind.kind;
  return new Refusal(422, "Invalid", `${qualified} ${JSON.stringify(name)} is invalid: ${summaryOf(errors)}`, {
    ...(name ? { name } : {}),
    ...(kind.group ? { group: kind.group } : {}),
    ...(kind.kind ? { kind: kind.kind } : {}),
    causes: errors.map((error) => ({ reason: error.type, message: messageOf(error), field: error.field })),
  });
}

/** Returns all that is wrong as one text. */
function summaryOf(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => [...error.field ? [error.field] : [], messageOf(error)].join(": ")))];
  return texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`;
}

type Named = Pick<ResourceKind, "group" | "plural">;

/** Returns what a `Status` says of the object that it is about. */
export function details(kind: Named, name: string | undefined): { name?: string; group?: string; kind: string } {
  return { ...(name ? { name } : {}), ...(kind.group ? { group: kind.group } : {}), kind: kind.plural };
}

/** 403. */
export function forbidden(message: string, details: Status["details"] = {}): Refusal {
  return new Refusal(403, "Forbidden", message, details);
}

/** There is no object of this name. */
export function notFound(kind: Named, name: string): Refusal {
  return new Refusal(404, "NotFound", `${qualifiedName(kind)} ${JSON.stringify(name)} not found`, details(kind, name));
}

/** There is an object of this name, be it on its way out. */
export function alreadyExists(kind: Named, name: string, beingDeleted: boolean): Refusal {
  const prefix = beingDeleted ? "object is being deleted: " : "";
  const message = `${prefix}${qualifiedName(kind)} ${JSON.stringify(name)} already exists`;
  return new Refusal(409, "AlreadyExists", message, details(kind, name));
}

/** Every name that was made of `generateName` was taken; also said where a name was given beside it. */
export function generatedNameTaken(kind: Named, name: string, beingDeleted: boolean): Refusal {
  const { message } = alreadyExists(kind, name, beingDeleted);
  const why = `${message}, the server was not able to generate a unique name for the object`;
  return new Refusal(409, "AlreadyExists", why, { ...details(kind, name), retryAfterSeconds: 1 });
}

/** `why`: what stands in the way of the write. */
export function conflict(kind: Named, name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${qualifiedName(kind)} ${JSON.stringify(name)}: ${why}`;
  return new Refusal(409, "Conflict", message, details(kind, name));
}

/** The write names a resource version that is not the latest. */
export function modified(kind: Named, name: string): Refusal {
  const why = "the object has been modified; please apply your changes to the latest version and try again";
  return conflict(kind, name, why);
}

/** The write means another object than the stored one of its name. */
export function anotherUid(kind: Named, name: string, wanted: string, found: string): Refusal {
  return conflict(kind, name, `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`);
}

/** The object does not allow the request; Kubernetes does not say why. */
export function rejected(): Refusal {
  return new Refusal(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

/** The body has a type that is not among `readable`. */
export function unsupportedMediaType(readable: readonly string[]): Refusal {
  const why = "the body of the request was in an unknown format - accepted media types include: ";
  return new Refusal(415, "UnsupportedMediaType", why + readable.join(", "));
}

/** The server has no such resource. */
export function unknownResource(): Refusal {
  return new Refusal(404, "NotFound", "the server could not find the requested resource", {});
}

/** The resource is there, and cannot be asked for that. */
export function methodNotAllowed(): Refusal {
  return new Refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

/** The version of a list, or of its further pages, is forgotten: it begins anew. */
export function expiredList(): Refusal {
  return new Refusal(410, "Expired", "The resourceVersion for the provided list is too old.");
}

/** @param token goes on with what there is now, which the client may choose */
export function expiredPage(token: string): Refusal {
  const message = "The provided continue parameter is too old to display a consistent list result. " +
    "You can start a new list without the continue parameter, or use the continue token in this response to retrieve " +
    "the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that " +
    "were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return new Refusal(410, "Expired", message, undefined, { continue: token });
}

/** `oldest`: from where on changes are remembered. */
export function expiredWatch(wanted: number, oldest: number): Refusal {
  return new Refusal(410, "Expired", `too old resource version: ${wanted} (${oldest})`);
}

/** No write has made that version yet; the client may ask again. */
export function futureVersion(wanted: number, current: number): Refusal {
  return new Refusal(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** Options of a request that cannot be: 422 about `ListOptions` and the like. */
export function optionsKind(kind: string): { group: string; kind: string } {
  return { group: "meta.k8s.io", kind };
}
