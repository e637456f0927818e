import { qualifiedName } from "./registry.ts";
import { Refusal } from "./refusal.ts";
import type { ResourceKind } from "./resource_kind.ts";

// The refusals that several operations share. Their words are kube-apiserver's.

type Named = Pick<ResourceKind, "group" | "plural">;

function details(kind: Named, name: string): { name: string; group?: string; kind: string } {
  return { name, ...(kind.group ? { group: kind.group } : {}), kind: kind.plural };
}

export function notFound(kind: Named, name: string): Refusal {
  return new Refusal(404, "NotFound", `${qualifiedName(kind)} ${JSON.stringify(name)} not found`, details(kind, name));
}

export function alreadyExists(kind: Named, name: string, beingDeleted: boolean): Refusal {
  const prefix = beingDeleted ? "object is being deleted: " : "";
  return new Refusal(
    409,
    "AlreadyExists",
    `${prefix}${qualifiedName(kind)} ${JSON.stringify(name)} already exists`,
    details(kind, name),
  );
}

export function modified(kind: Named, name: string): Refusal {
  return new Refusal(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualifiedName(kind)} ${JSON.stringify(name)}: ` +
      "the object has been modified; please apply your changes to the latest version and try again",
    details(kind, name),
  );
}

export function unknownResource(): Refusal {
  return new Refusal(404, "NotFound", "the server could not find the requested resource", {});
}

export function methodNotAllowed(): Refusal {
  return new Refusal(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );
}

export function expiredList(): Refusal {
  return new Refusal(410, "Expired", "The resourceVersion for the provided list is too old.");
}

export function expiredWatch(wanted: number, oldest: number): Refusal {
  return new Refusal(410, "Expired", `too old resource version: ${wanted} (${oldest})`);
}

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
