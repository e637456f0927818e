import type { Resource } from "./resource.ts";

/** The word of an API server for what a request does. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

/**
 * The requests of a part of the program. The permissions that a cluster gives are computed from these, which
 * therefore stand beside the code that sends the requests.
 */
export interface Access {
  readonly resource: Pick<Resource, "group" | "plural">;
  readonly subresource?: string;
  readonly verbs: readonly Verb[];
  /** In the namespaces whose CronJobs are reconciled, or in the program's own. */
  readonly where: "watched" | "own";
  /** Only objects of these names. It can't be said of `create`; and lists and watches must select one by `metadata.name`. */
  readonly names?: readonly string[];
  /**
   * No request of ours: admission of this one asks for it. Where the plugin OwnerReferencesPermissionEnforcement is on,
   * a client that makes an object that blocks its owner's deletion must be allowed to set the owner's finalizers.
   */
  readonly admissionOf?: { readonly resource: Pick<Resource, "group" | "plural">; readonly verb: Verb };
}
