import type {
  CreateOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  OwnedName,
  PlaceWaiter,
  RequestOptions,
  Unread,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../../src/kube/client.ts";
import type { KubeObject, ObjectName, Patch, Unstored } from "../../../src/kube/object.ts";
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

/** The client of one process: whatever it asks for, and each event that it is to see, waits until it is carried. */
export class ProcessClient implements KubeClient {
  readonly #api: KubeClient;
  readonly #process: string;
  readonly #carry: Carry;
  readonly #guard: Guard | undefined;

  constructor(api: KubeClient, process: string, carry: Carry, guard?: Guard) {
    this.#api = api;
    this.#process = process;
    this.#carry = carry;
    this.#guard = guard;
  }

  guarded(guard: Guard): ProcessClient {
    return new ProcessClient(this.#api, this.#process, this.#carry, guard);
  }

  get<T extends KubeObject>(resource: Resource<T>, name: ObjectName, { signal }: RequestOptions = {}): Promise<T> {
    return this.#ask(
      "read",
      resource,
      `get ${resource.plural} ${name.name}`,
      () => this.#api.get(resource, name),
      signal,
    );
  }

  list<T extends KubeObject>(
    resource: Resource<T>,
    { signal, ...options }: ListOptions = {},
  ): Promise<ObjectList<T>> {
    return this.#ask("read", resource, `list ${resource.plural}`, () => this.#api.list(resource, options), signal);
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    object: Unstored<T>,
    { signal }: CreateOptions = {},
  ): Promise<T> {
    const label = `create ${resource.plural} ${object.metadata.name}`;
    return this.#write(resource, label, () => this.#api.create(resource, object), signal);
  }

  createText<T extends KubeObject>(
    resource: Resource<T>,
    name: OwnedName,
    body: string,
    { signal }: CreateOptions = {},
  ): Promise<Unread<T>> {
    const label = `create ${resource.plural} ${name.name}`;
    return this.#write(resource, label, () => this.#api.createText(resource, name, body), signal);
  }

  replace<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    { signal, subresource }: WriteOptions = {},
  ): Promise<T> {
    const label = `replace ${resource.plural} ${object.metadata.name} ${subresource ?? ""}`.trim();
    return this.#write(resource, label, () => this.#api.replace(resource, object), signal);
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    patch: Patch,
    { signal }: WriteOptions = {},
  ): Promise<T> {
    return this.#write(
      resource,
      `patch ${resource.plural} ${name.name}`,
      () => this.#api.patch(resource, name, patch),
      signal,
    );
  }

  delete<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    { signal, preconditions }: DeleteOptions = {},
  ): Promise<void> {
    const label = `delete ${resource.plural} ${name.name}`;
    return this.#write(resource, label, () => this.#api.delete(resource, name, { preconditions }), signal);
  }

  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { signal, resourceVersion, onOpen, onReceive } = options;
    for await (const event of this.#api.watch(resource, { resourceVersion, onOpen, signal })) {
      const { name, resourceVersion: version } = event.object.metadata;
      try {
        await this.#ask(
          "event",
          resource,
          `${event.type} ${resource.plural} ${name}`,
          () => Promise.resolve(version),
          signal,
        );
      } catch (error) {
        if (signal?.aborted) return;
        throw error;
      }
      onReceive?.();
      yield event;
    }
  }

  whenFree(_lane: unknown, _namespace: unknown, waiter: PlaceWaiter): void {
    waiter.start({ isHeld: false, waitedMs: 0, use: () => false, [Symbol.dispose]() {} });
  }

  isSlow(): boolean {
    return false;
  }

  prepare(): void {}

  raw(): Promise<Response> {
    throw new Error("Cannot send raw requests here");
  }

  async #write<T>(
    resource: Resource,
    label: string,
    act: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const over = this.#guard?.();
    let isAnswered = false;
    try {
      const answer = await this.#ask("write", resource, label, act, signal, () => isAnswered = true);
      isAnswered = true;
      return answer;
    } finally {
      over?.(isAnswered);
    }
  }

  #ask<T>(
    kind: Message["kind"],
    { plural }: Resource,
    label: string,
    act: () => Promise<T>,
    signal: AbortSignal | undefined,
    onRefused?: () => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      const answer = (result: unknown) => resolve(result as T);
      const fail = (error: unknown) => {
        if (error instanceof Error && error.name === "ApiError") onRefused?.();
        reject(error);
      };
      this.#carry({ process: this.#process, kind, plural, label, send: act, answer, fail });
    });
  }
}
