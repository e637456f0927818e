import type { KubeClient } from "./client.ts";
import { eachNamespace } from "./namespaces.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";
import type { Clock } from "../base/clock.ts";

/** Something that one may be allowed to do. */
export interface Deed {
  readonly verb: "list" | "watch" | "get" | "create" | "patch" | "delete";
  readonly resource: Pick<Resource, "group" | "plural">;
  readonly subresource?: string;
  /** Undefined: in all namespaces. */
  readonly namespace: string | undefined;
}

interface AccessReview extends KubeObject {
  readonly spec: unknown;
  readonly status?: { readonly allowed?: boolean };
}

const ACCESS_REVIEWS: Resource<AccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
};

/** How long an answer is taken for true. */
const KEPT_MS = 30_000;

/** The rights of one person, as the API server states them. */
export class Rights {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly at: number; readonly answer: Promise<boolean> }>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  may(deed: Deed): Promise<boolean> {
    const now = this.#clock.monotonic();
    for (const [key, { at }] of this.#answers) if (now - at >= KEPT_MS) this.#answers.delete(key);
    const { verb, resource, subresource = "", namespace = "" } = deed;
    const key = [verb, resource.group, resource.plural, subresource, namespace].join("/");
    const known = this.#answers.get(key);
    if (known) return known.answer;
    const answer = ask(this.#client, deed);
    this.#answers.set(key, { at: now, answer });
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }

  /** In each of these namespaces; none: in all. */
  async mayEverywhere(deed: Omit<Deed, "namespace">, namespaces: readonly string[]): Promise<boolean> {
    const answers = await Promise.all(eachNamespace(namespaces).map((namespace) => this.may({ ...deed, namespace })));
    return answers.every((answer) => answer);
  }
}

/** Asks the API server, whatever it said before. @throws {ApiError} also where it does not know who asks */
export async function ask(
  client: KubeClient,
  { verb, resource, subresource, namespace }: Deed,
  signal?: AbortSignal,
): Promise<boolean> {
  const resourceAttributes = { verb, group: resource.group, resource: resource.plural, subresource, namespace };
  const { status } = await client.create(ACCESS_REVIEWS, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: {},
    spec: { resourceAttributes },
  }, { signal });
  return status?.allowed ?? false;
}
