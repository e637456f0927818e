import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { JOBS, PODS, type Resource } from "../../kube/resource.ts";

/**
 * Returns the same client, which sends nothing that it can know to be forbidden: what one request was forbidden, a later
 * one of the same kind is not sent for. While the first of a kind is under way, others of it wait for its answer.
 */
export function refusedOnce(client: KubeClient): KubeClient {
  const kinds = new Map<string, Promise<ApiError | undefined>>();

  async function ask<T>(kind: string, send: () => Promise<T>): Promise<T> {
    const before = kinds.get(kind);
    const refusal = before && await before;
    if (refusal) throw refusal;
    const answer = send();
    const refused = answer.then(() => undefined, refusalOf);
    if (before) refused.then((refusal) => refusal && kinds.set(kind, refused));
    else kinds.set(kind, refused);
    return await answer;
  }

  return {
    get: (resource, name, options) => ask(kindOf("get", resource, name), () => client.get(resource, name, options)),
    list: (resource, options = {}) =>
      ask(kindOf("list", resource, { namespace: options.namespace }), () => client.list(resource, options)),
    create: (resource, object, options) => {
      const kind = kindOf("create", resource, { namespace: object.metadata?.namespace });
      return ask(kind, () => client.create(resource, object, options));
    },
    createText: (resource, name, body, options) => {
      const kind = kindOf("create", resource, { namespace: name.namespace });
      return ask(kind, () => client.createText(resource, name, body, options));
    },
    replace: (resource, object, options) => {
      const kind = kindOf("update", resource, object.metadata, options);
      return ask(kind, () => client.replace(resource, object, options));
    },
    patch: (resource, name, patch, options) => {
      const kind = kindOf("patch", resource, name, options);
      return ask(kind, () => client.patch(resource, name, patch, options));
    },
    delete: (resource, name, options) => {
      return ask(kindOf("delete", resource, name), () => client.delete(resource, name, options));
    },
    async *watch(resource, options = {}) {
      const kind = kindOf("watch", resource, { namespace: options.namespace });
      const refusal = await kinds.get(kind);
      if (refusal) throw refusal;
      try {
        yield* client.watch(resource, options);
      } catch (error) {
        kinds.set(kind, Promise.resolve(refusalOf(error)));
        throw error;
      }
    },
    raw: (path, init) => ask(`${init?.method ?? "GET"} ${kindOfPath(path)}`, () => client.raw(path, init)),
    whenFree: (lane, namespace, waiter, signal) => client.whenFree(lane, namespace, waiter, signal),
    isSlow: (lane, namespace) => client.isSlow(lane, namespace),
    prepare: (writes) => client.prepare(writes),
  };
}

/** Their names are made up by controllers: no role names single ones. */
const NAMELESS: readonly Resource[] = [JOBS, PODS];

function kindOf(
  verb: string,
  resource: Resource,
  { namespace = "", name = "" }: { namespace?: string; name?: string },
  { subresource = "" }: { subresource?: string } = {},
): string {
  const { group, plural } = resource;
  return [verb, group, plural, subresource, namespace, NAMELESS.includes(resource) ? "" : name].join(" ");
}

/** The path of a Pod's subresource is of one kind for all Pods of a namespace. */
function kindOfPath(path: string): string {
  return path.replace(/\?.*$/s, "").replace(/\/pods\/[^/]+\//, "/pods/*/");
}

/** How an API server says that a user lacks a right. A quota, for one, forbids too, and another object may pass it. */
const LACKS_RIGHT = /\bcannot \S+ (resource|path)\b/;

function refusalOf(error: unknown): ApiError | undefined {
  return error instanceof ApiError && error.isForbidden && LACKS_RIGHT.test(error.message) ? error : undefined;
}
