import { onAbort } from "../../runtime/abort.ts";
import type { EngineCommand } from "./engine_command.ts";
import type { EngineKind } from "./engine_kind.ts";

export interface ImagePullsOptions {
  readonly kind: EngineKind;
  readonly command: EngineCommand;
  /** Where credentials stand while a pull needs them. */
  readonly credentialsFolder: string;
}

const TIMEOUT_MS = 30 * 60_000;

interface Pull {
  /** Resolves with the image's id. */
  readonly id: Promise<string>;
  readonly stop: AbortController;
  /** How many wait for it. */
  waiting: number;
}

/**
 * Pulls images. Containers that want the same image with the same credentials share a pull, which is stopped once none of
 * them waits for it any more.
 */
export class ImagePulls {
  readonly #options: ImagePullsOptions;
  readonly #underWay = new Map<string, Pull>();

  constructor(options: ImagePullsOptions) {
    this.#options = options;
  }

  /**
   * Pulls an image, or waits for the pull that is under way.
   *
   * @param credentials in the form of an engine's own file of credentials
   * @returns the image's id
   * @throws the signal's reason, once it is aborted
   */
  async pull(name: string, credentials: string | undefined, signal: AbortSignal): Promise<string> {
    const key = JSON.stringify([name, credentials]);
    const pull = this.#underWay.get(key) ?? this.#begin(key, name, credentials);
    const { promise: left, reject } = Promise.withResolvers<never>();
    using _leaving = onAbort(signal, () => reject(signal.reason));
    pull.waiting++;
    try {
      return await Promise.race([pull.id, left]);
    } finally {
      if (--pull.waiting === 0) this.#end(key, pull);
    }
  }

  #begin(key: string, name: string, credentials: string | undefined): Pull {
    const stop = new AbortController();
    const pull: Pull = { id: this.#fetch(name, credentials, stop.signal), stop, waiting: 0 };
    this.#underWay.set(key, pull);
    return pull;
  }

  #end(key: string, pull: Pull): void {
    pull.stop.abort();
    if (this.#underWay.get(key) === pull) this.#underWay.delete(key);
  }

  async #fetch(name: string, credentials: string | undefined, signal: AbortSignal): Promise<string> {
    const { kind, command } = this.#options;
    const options = { timeoutMs: TIMEOUT_MS, isInterruptible: true, signal, lane: "pull" } as const;
    const fetch = async (folder?: string) => await command.output(kind.pullArgs(name, folder), options);
    const text = credentials ? await this.#withFolder(credentials, fetch) : await fetch();
    return text.trim().split("\n").at(-1)!;
  }

  async #withFolder<T>(credentials: string, work: (folder: string) => Promise<T>): Promise<T> {
    const { kind, credentialsFolder } = this.#options;
    const folder = `${credentialsFolder}/${crypto.randomUUID()}`;
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      kind.writeCredentials(folder, credentials);
      return await work(folder);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }
}
