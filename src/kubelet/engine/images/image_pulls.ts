import { onAbort } from "../../../base/abort.ts";
import { createImage } from "./create_image.ts";
import type { EngineApi } from "../api/engine_api.ts";
import { Slots } from "../slots.ts";

const TIMEOUT_MS = 30 * 60_000;

/** More would only share the network. */
const AT_A_TIME = 3;

interface Pull {
  readonly done: Promise<unknown>;
  readonly stop: AbortController;
  /** How many wait for it. */
  waiting: number;
}

/**
 * Pulls images. Containers that want the same image with the same credentials share a pull, which is stopped once none of
 * them waits for it any more. Three images are pulled at a time; more wait for their turn.
 */
export class ImagePulls {
  readonly #api: EngineApi;
  readonly #slots = new Slots(AT_A_TIME);
  readonly #underWay = new Map<string, Pull>();

  constructor(api: EngineApi) {
    this.#api = api;
  }

  /**
   * Pulls an image, or waits for the pull that is under way.
   *
   * @param credentials in the form of Docker's header `X-Registry-Auth`; undefined for the engine's own
   * @throws {EngineError} with the engine's reason
   * @throws the signal's reason, once it is aborted
   */
  async pull(name: string, credentials: string | undefined, signal: AbortSignal): Promise<void> {
    const key = JSON.stringify([name, credentials]);
    const pull = this.#underWay.get(key) ?? this.#begin(key, name, credentials);
    const { promise: left, reject } = Promise.withResolvers<never>();
    using _leaving = onAbort(signal, () => reject(signal.reason));
    pull.waiting++;
    try {
      await Promise.race([pull.done, left]);
    } finally {
      if (--pull.waiting === 0) this.#end(key, pull);
    }
  }

  #begin(key: string, name: string, credentials: string | undefined): Pull {
    const stop = new AbortController();
    const headers: Record<string, string> = credentials === undefined ? {} : { "x-registry-auth": credentials };
    const request = { query: { fromImage: withTag(name) }, headers, signal: stop.signal, timeoutMs: TIMEOUT_MS };
    const done = this.#slots.use(() => createImage(this.#api, request));
    const pull: Pull = { done, stop, waiting: 0 };
    this.#underWay.set(key, pull);
    return pull;
  }

  #end(key: string, pull: Pull): void {
    pull.stop.abort();
    if (this.#underWay.get(key) === pull) this.#underWay.delete(key);
  }
}

/** Without a tag, docker would pull all that there are. */
function withTag(name: string): string {
  return /[:@][^/]*$/.test(name) ? name : `${name}:latest`;
}
