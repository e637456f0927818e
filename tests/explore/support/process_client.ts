import type { KubeClient, PlaceWaiter, RequestOptions, WatchEvent, WatchOptions } from "../../../src/kube/client.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";

/** Something under way between a process and the API server. */
export interface Message {
  readonly process: string;
  readonly kind: "read" | "write" | "event";
  /** The kind of object that it is about. */
  readonly plural: string;
  /** Such as `create jobs c-1`. */
  readonly label: string;
  /** Lets it take effect at the server; of an event nothing happens there. */
  send(): Promise<unknown>;
  answer(result: unknown): void;
  fail(error: unknown): void;
}

/** Called with each message, which is answered, or never. */
export type Carry = (message: Message) => void;

/** Called before each write. Returns what is called with whether it was answered. */
export type Guard = () => (answered: boolean) => void;

type Verb = "get" | "list" | "create" | "createText" | "replace" | "patch" | "delete";

/**
 * Returns the client of one process: each request, and each event that the process is to see, waits until it is carried.
 * `guard` is called for writes.
 */
export function processClient(api: KubeClient, process: string, carry: Carry, guard?: Guard): KubeClient {
  const ask = (
    kind: Message["kind"],
    { plural }: Resource,
    label: string,
    send: Message["send"],
    { signal, onRefused }: RequestOptions & { onRefused?: () => void },
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      const fail = (error: unknown) => {
        if (error instanceof Error && error.name === "ApiError") onRefused?.();
        reject(error);
      };
      carry({ process, kind, plural, label, send, answer: resolve, fail });
    });

  /** `count`: of what comes between the resource and the options. */
  const request =
    (kind: "read" | "write", verb: Verb, count: number) => async (resource: Resource, ...all: unknown[]) => {
      const given = all.slice(0, count);
      const { signal, ...options } = (all[count] ?? {}) as RequestOptions & { subresource?: string };
      const [subject] = given as (Partial<KubeObject> & { name?: string })[];
      const words = [verb.replace("Text", ""), resource.plural, subject?.name ?? subject?.metadata?.name];
      const label = [...words, options.subresource].filter((word) => word !== undefined).join(" ");
      const act = api[verb] as (...args: unknown[]) => Promise<unknown>;
      const send = () => act.call(api, resource, ...given, options);
      if (kind === "read") return await ask(kind, resource, label, send, { signal });
      signal?.throwIfAborted();
      const over = guard?.();
      let isAnswered = false;
      const note = () => isAnswered = true;
      try {
        const answer = await ask(kind, resource, label, send, { signal, onRefused: note });
        note();
        return answer;
      } finally {
        over?.(isAnswered);
      }
    };

  return {
    get: request("read", "get", 1),
    list: request("read", "list", 0),
    create: request("write", "create", 1),
    createText: request("write", "createText", 2),
    replace: request("write", "replace", 1),
    patch: request("write", "patch", 2),
    delete: request("write", "delete", 1),
    async *watch(resource: Resource, options: WatchOptions = {}): AsyncGenerator<WatchEvent<KubeObject>> {
      const { signal, resourceVersion, onOpen, onReceive } = options;
      for await (const event of api.watch(resource, { resourceVersion, onOpen, signal })) {
        const { name, resourceVersion: version } = event.object.metadata;
        const label = `${event.type} ${resource.plural} ${name}`;
        try {
          await ask("event", resource, label, () => Promise.resolve(version), { signal });
        } catch (error) {
          if (signal?.aborted) return;
          throw error;
        }
        onReceive?.();
        yield event;
      }
    },
    whenFree(_lane: unknown, _namespace: unknown, waiter: PlaceWaiter): void {
      waiter.start({ isHeld: false, waitedMs: 0, use: () => false, [Symbol.dispose]() {} });
    },
    isSlow: () => false,
    prepare() {},
    raw() {
      throw new Error("Cannot send raw requests here");
    },
  } as unknown as KubeClient;
}
