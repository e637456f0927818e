import type { KubeObject } from "../../../src/kube/object.ts";
import { type Api, pause, WatchRefused } from "./api.ts";

export interface Seen<T> {
  readonly object: T;
  /** The version that made it so, or at which it was missed in a list. */
  readonly version: number;
  readonly isGone: boolean;
}

/** A watch that shows nothing for so long is opened anew where it stood, whatever ails it. */
const SILENCE_MS = 10_000;

/**
 * Sees all that happens to the objects of one collection. The API server keeps its past through kills, so a watch that
 * broke goes on where it stood; only a restored server has another past, and then lists are compared.
 */
export class Follower<T extends KubeObject> implements AsyncDisposable {
  readonly #api: Api;
  readonly #path: string;
  readonly #see: (seen: Seen<T>) => void;
  readonly #stop = new AbortController();
  readonly #there = new Map<string, T>();
  readonly #running: Promise<void>;
  /** Undefined until it has a list. */
  #version: string | undefined;

  constructor(api: Api, path: string, see: (seen: Seen<T>) => void) {
    this.#api = api;
    this.#path = path;
    this.#see = see;
    this.#running = this.#run();
  }

  /** The version up to which it has seen all. */
  get version(): number {
    return Number(this.#version ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#version ??= await this.#list();
        const query = `?watch=1&allowWatchBookmarks=true&resourceVersion=${this.#version}`;
        for await (const { type, object } of this.#watch(query)) {
          if (type === "ERROR") throw new WatchRefused((object as unknown as { code: number }).code, "");
          if (type !== "BOOKMARK") this.#take(object as T, Number(object.metadata.resourceVersion), type === "DELETED");
          this.#version = object.metadata.resourceVersion;
        }
      } catch (error) {
        if (error instanceof WatchRefused && error.code === 410) this.#version = undefined;
        await pause(50);
      }
    }
  }

  /** Ends by itself when it is silent or to stop: not every stream heeds the abort of its request after a while. */
  async *#watch(query: string): ReturnType<Api["watch"]> {
    const end = new AbortController();
    const events = this.#api.watch(this.#path + query, end.signal);
    try {
      for (;;) {
        const next = await this.#soon(events.next());
        if (!next || next.done) return;
        yield next.value;
      }
    } finally {
      end.abort();
    }
  }

  /** Undefined when it takes too long, or it is not wanted any more. */
  async #soon<R>(promise: Promise<R>): Promise<R | undefined> {
    const { promise: over, resolve } = Promise.withResolvers<undefined>();
    const giveUp = () => resolve(undefined);
    const timer = setTimeout(giveUp, SILENCE_MS);
    this.#stop.signal.addEventListener("abort", giveUp);
    promise.catch(() => {});
    try {
      return await Promise.race([promise, over]);
    } finally {
      clearTimeout(timer);
      this.#stop.signal.removeEventListener("abort", giveUp);
    }
  }

  async #list(): Promise<string> {
    const { code, body } = await this.#api.ask("GET", this.#path, undefined, this.#stop.signal);
    if (code !== 200) throw new Error(`the list was refused with ${code}`);
    const version = body.metadata.resourceVersion;
    const items = (body.items ?? []) as T[];
    const there = new Set(items.map(({ metadata }) => metadata.uid));
    for (const [uid, object] of this.#there) if (!there.has(uid)) this.#take(object, Number(version), true);
    for (const object of items) this.#take(object, Number(object.metadata.resourceVersion), false);
    return version;
  }

  #take(object: T, version: number, isGone: boolean): void {
    const { uid } = object.metadata;
    if (isGone) this.#there.delete(uid);
    else this.#there.set(uid, object);
    this.#see({ object, version, isGone });
  }
}
