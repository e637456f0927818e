import { ApiError } from "../../src/kube/api_error.ts";
import type { DeleteOptions, KubeClient } from "../../src/kube/client.ts";
import { type KubeObject, makeKey, type ObjectName, type Patch } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { copyOf } from "./copy.ts";
import { type ObjectStore, refusal } from "./object_store.ts";

/** How a request fares. `Lost` ones fail on the way, before or after they took effect; at a `Crash` the process dies. */
export type Fate = "ok" | "lostBefore" | "lostAfter" | "crashBefore" | "crashAfter" | InDoubt | "refused" | "failed";

type FateOf = Fate | (() => void);

type InDoubt = "serverError" | "gaveUp" | "sentElsewhere";

/** Answered with such a code though it was done: the server failed, or something before it stopped waiting, or sent it elsewhere. */
const IN_DOUBT = new Map<unknown, number>([["serverError", 504], ["gaveUp", 408], ["sentElsewhere", 307]]);

/** The process is gone. */
export class Crash extends Error {}

/** No answer came. */
export class Lost extends TypeError {}

/**
 * What a controller uses of a store whose collections have the names of resources. `fateOf` is asked for every request; it may
 * return what happens between the request and its answer. All that is replaced is a status.
 */
export function fatefulClient(
  store: ObjectStore & { replaceStatus(collection: string, object: KubeObject, manager: string): KubeObject },
  fateOf: (request: string) => FateOf | Promise<FateOf>,
  manager = "cronjob-controller",
): KubeClient {
  const run = async <T>(request: string, act: () => T): Promise<T> => {
    // Requests run at the same time: others get their turn.
    const fate = await fateOf(request);
    if (fate === "crashBefore") throw new Crash();
    if (fate === "refused") throw refusal(403, "Forbidden", "not allowed");
    if (fate === "failed") throw refusal(500, "InternalError", "the server is busy");
    if (fate === "lostBefore") throw new Lost("connection refused");
    const result = copyOf(act());
    if (typeof fate === "function") fate();
    if (fate === "crashAfter") throw new Crash();
    if (fate === "lostAfter") throw new Lost("connection reset");
    const code = IN_DOUBT.get(fate);
    if (code !== undefined) throw new ApiError("no answer of the server's", { code });
    return result;
  };
  const client = {
    get: ({ plural }: Resource, { name, namespace }: ObjectName) =>
      run(`get ${plural}`, () => store.find(plural, makeKey(namespace, name))),
    create: ({ plural }: Resource, object: KubeObject) =>
      run(`create ${plural}`, () => store.create(plural, copyOf(object))),
    createText: async ({ plural }: Resource, _name: unknown, body: string) => {
      const text = await run(`create ${plural}`, () => JSON.stringify(store.create(plural, JSON.parse(body))));
      return { length: text.length, read: () => JSON.parse(text) };
    },
    replace: ({ plural }: Resource, object: KubeObject) =>
      run(`replace ${plural}/status`, () => store.replaceStatus(plural, copyOf(object), manager)),
    list: ({ plural }: Resource) =>
      run(`list ${plural}`, () => ({
        items: [...store.collection(plural).objects.values()],
        metadata: { resourceVersion: String(store.version) },
      })),
    patch: ({ plural }: Resource, { name, namespace }: ObjectName, patch: Patch) =>
      run(`patch ${plural}`, () => store.patch(plural, makeKey(namespace, name), patch)),
    delete: ({ plural }: Resource, { name, namespace }: ObjectName, { preconditions }: DeleteOptions) =>
      run(`delete ${plural}`, () => store.delete(plural, makeKey(namespace, name), preconditions)),
  };
  return client as unknown as KubeClient;
}
