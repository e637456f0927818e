import type { Pod } from "../../../kube/resource.ts";
import type { Clock } from "../../../base/clock.ts";
import type { EpochMs } from "../../../base/epoch_ms.ts";
import { messageOf } from "../../../telemetry/message_of.ts";
import { ImageError, type References } from "../../inputs/env.ts";
import type { Image, RunOfContainer } from "../../runtime.ts";
import type { EngineApi } from "../api/engine_api.ts";
import { EngineError } from "../api/engine_error.ts";
import type { ImagePulls } from "./image_pulls.ts";
import { authFor, credentialsOf, headerOf, ownDockerAuths } from "./pull_secrets.ts";

export interface ImageStoreOptions {
  readonly api: EngineApi;
  readonly pulls: ImagePulls;
  readonly clock: Clock;
  readonly event: (pod: Pod, type: "Normal" | "Warning", reason: string, message: string) => void;
}

/** As the kubelet's. */
const BACK_OFF = { firstMs: 10_000, maxMs: 300_000 };

/** How long the state says ErrImagePull before it says ImagePullBackOff. */
const SAY_ERROR_MS = 1_000;

/** A pull that failed, and when the next one may be tried. */
interface BackOff {
  readonly until: EpochMs;
  readonly delayMs: number;
  readonly message: string;
}

interface Wanted {
  readonly references: References;
  readonly signal: AbortSignal;
}

/** Sees to it that containers' images are there, as `imagePullPolicy` has it. Events are worded as the kubelet's. */
export class ImageStore {
  readonly #options: ImageStoreOptions;
  /** By the Pod's uid and the image. */
  readonly #backOffs = new Map<string, BackOff>();

  constructor(options: ImageStoreOptions) {
    this.#options = options;
  }

  /**
   * @param signal aborted when the image is not wanted any more
   * @throws {ImageError} if it is not to be had now
   */
  async ready({ pod, container }: RunOfContainer, references: References, signal: AbortSignal): Promise<Image> {
    const { event } = this.#options;
    const name = container.image ?? "";
    const policy = container.imagePullPolicy ?? "IfNotPresent";
    const present = policy === "Always" ? undefined : await this.#find(name);
    if (present) {
      event(pod, "Normal", "Pulled", `Container image "${name}" already present on machine`);
      return present;
    }
    if (policy === "Never") {
      const message = `Container image "${name}" is not present with pull policy of Never`;
      event(pod, "Warning", "ErrImageNeverPull", message);
      throw new ImageError(message, "ErrImageNeverPull", BACK_OFF.firstMs);
    }
    return await this.#pull(pod, name, { references, signal });
  }

  /** Forgets what was tried for a Pod that is gone. */
  forget(uid: string): void {
    for (const key of this.#backOffs.keys()) if (key.startsWith(`${uid} `)) this.#backOffs.delete(key);
  }

  async #pull(pod: Pod, name: string, { references, signal }: Wanted): Promise<Image> {
    const { clock, event } = this.#options;
    const key = `${pod.metadata.uid} ${name}`;
    const backOff = this.#backOffs.get(key);
    if (backOff && clock.now() < backOff.until) {
      event(pod, "Normal", "BackOff", `Back-off pulling image "${name}"`);
      const message = `Back-off pulling image "${name}": ErrImagePull: ${backOff.message}`;
      throw new ImageError(message, "ImagePullBackOff", backOff.until - clock.now());
    }
    event(pod, "Normal", "Pulling", `Pulling image "${name}"`);
    const began = clock.monotonic();
    try {
      const whole = wholeName(name);
      await this.#options.pulls.pull(whole, await this.#credentials(pod, whole, references), signal);
      const image = await this.#find(whole);
      if (!image) throw new Error(`the engine does not know the image ${whole} that it has pulled`);
      this.#backOffs.delete(key);
      const tookMs = Math.round(clock.monotonic() - began);
      event(pod, "Normal", "Pulled", `Successfully pulled image "${name}" in ${tookMs}ms`);
      return image;
    } catch (error) {
      signal.throwIfAborted();
      const message = messageOf(error);
      const delayMs = backOff ? Math.min(2 * backOff.delayMs, BACK_OFF.maxMs) : BACK_OFF.firstMs;
      this.#backOffs.set(key, { until: clock.now() + delayMs, delayMs, message });
      event(pod, "Warning", "Failed", `Failed to pull image "${name}": ${message}`);
      throw new ImageError(message, "ErrImagePull", SAY_ERROR_MS);
    }
  }

  async #credentials(pod: Pod, image: string, references: References): Promise<string | undefined> {
    const { api, event } = this.#options;
    const { auths, missing } = await credentialsOf(pod, references);
    for (const secret of missing) {
      event(
        pod,
        "Warning",
        "FailedToRetrieveImagePullSecret",
        `Unable to retrieve some image pull secrets (${secret}); attempting to pull the image may not succeed.`,
      );
    }
    const found = authFor(image, auths) ?? (api.engine === "docker" ? authFor(image, ownDockerAuths()) : undefined);
    return found && headerOf(found);
  }

  async #find(name: string): Promise<Image | undefined> {
    type Inspected = { Id: string; Config?: { User?: string; StopSignal?: string } };
    try {
      const { Id, Config } = await this.#options.api.get<Inspected>(`/images/${encodeURIComponent(name)}/json`);
      return { id: Id, user: Config?.User ?? "", stopSignal: Config?.StopSignal || "SIGTERM" };
    } catch (error) {
      // Names that cannot be of any image are refused.
      const { status = 500 } = error as EngineError;
      if (error instanceof EngineError && status < 500) return undefined;
      throw error;
    }
  }
}

/** Returns the name with its registry: Kubernetes looks for `busybox` at Docker Hub, engines where they are configured to. */
export function wholeName(image: string): string {
  const [first = "", ...rest] = image.split("/");
  if (rest.length === 0) return `docker.io/library/${image}`;
  return /[.:]/.test(first) || first === "localhost" ? image : `docker.io/${image}`;
}
