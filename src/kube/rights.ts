import type { KubeClient } from "./client.ts";
import type { Clock } from "../base/clock.ts";
import { eachNamespace } from "./namespaces.ts";
import type { KubeObject } from "./object.ts";
import { apiVersionOf, type Resource } from "./resource.ts";

/** A kind of request to the API server, as a `SelfSubjectAccessReview` names it. */
export interface ResourceAttributes {
  readonly verb: "list" | "watch" | "get" | "create" | "patch" | "delete";
  readonly resource: Pick<Resource, "group" | "plural">;
  readonly subresource?: string;
  /** Undefined: in all namespaces. */
  readonly namespace: string | undefined;
}

interface SelfSubjectAccessReview extends KubeObject {
  readonly spec: unknown;
  readonly status?: { readonly allowed?: boolean };
}

const ACCESS_REVIEWS: Resource<SelfSubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
};

/** How long an answer is used again. */
const KEPT_MS = 30_000;

/** The rights of one user, as the API server states them. */
export class Rights {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly at: number; readonly answer: Promise<boolean> }>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns whether the user may do so, as far as the API server has said in the last half minute. @throws {ApiError} */
  may(attributes: ResourceAttributes): Promise<boolean> {
    const now = this.#clock.monotonic();
    for (const [key, { at }] of this.#answers) if (now - at >= KEPT_MS) this.#answers.delete(key);
    const { verb, resource, subresource = "", namespace = "" } = attributes;
    const key = [verb, resource.group, resource.plural, subresource, namespace].join("/");
    const known = this.#answers.get(key);
    if (known) return known.answer;
    const answer = isAllowed(this.#client, attributes);
    this.#answers.set(key, { at: now, answer });
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }

  /** Returns whether the user may do so in each of these namespaces; where none is named, in all that there are. */
  async mayEverywhere(
    attributes: Omit<ResourceAttributes, "namespace">,
    namespaces: readonly string[],
  ): Promise<boolean> {
    const answers = await Promise.all(
      eachNamespace(namespaces).map((namespace) => this.may({ ...attributes, namespace })),
    );
    return answers.every((answer) => answer);
  }
}

/** Asks the API server whether the user of a client may do so. @throws {ApiError} such as a 401 for a credential that it does not know */
export async function isAllowed(
  client: KubeClient,
  { verb, resource, subresource, namespace }: ResourceAttributes,
  signal?: AbortSignal,
): Promise<boolean> {
  const resourceAttributes = { verb, group: resource.group, resource: resource.plural, subresource, namespace };
  const { status } = await client.create(ACCESS_REVIEWS, {
    apiVersion: apiVersionOf(ACCESS_REVIEWS),
    kind: ACCESS_REVIEWS.kind,
    metadata: {},
    spec: { resourceAttributes },
  }, { signal });
  return status?.allowed ?? false;
}
