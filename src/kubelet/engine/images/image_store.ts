import { unlessAborted } from "../../../base/abort.ts";
import { lineBatches } from "../../../kube/json_lines.ts";
import type { Pod } from "../../../kube/resource.ts";
import { messageOf } from "../../../telemetry/message_of.ts";
import { ContainerConfigError, PROBLEMS } from "../../inputs/config_error.ts";
import type { Image, RunOfContainer } from "../../runtime.ts";
import type { EngineApi, EngineRequest } from "../api/engine_api.ts";
import { EngineError } from "../api/engine_error.ts";
import type { EngineOptions } from "../engine_options.ts";
import { slots } from "../slots.ts";
import { registryAuth } from "./registry_auth.ts";

const TIMEOUT_MS = 30 * 60_000;

/** More would only share the network. */
const AT_A_TIME = 3;

/**
 * Sees to it that containers' images are there, as `imagePullPolicy` has it. Three are pulled at a time; more wait for
 * their turn, and look again then. Events are worded as the kubelet's.
 */
export class ImageStore {
  readonly #options: Pick<EngineOptions, "api" | "clock" | "event">;
  readonly #inTurn = slots(AT_A_TIME);

  constructor(options: Pick<EngineOptions, "api" | "clock" | "event">) {
    this.#options = options;
  }

  /**
   * @param signal aborted when the image is not wanted any more
   * @throws {ContainerConfigError} if it is not to be had now
   */
  async ready({ pod, container }: RunOfContainer, signal: AbortSignal): Promise<Image> {
    const { image: name = "", imagePullPolicy: policy = "IfNotPresent" } = container;
    const present = async () => policy === "Always" ? undefined : await this.#present(pod, name);
    const image = await present();
    if (image) return image;
    if (policy === "Never") {
      const message = `Container image "${name}" is not present with pull policy of Never`;
      throw new ContainerConfigError(message, PROBLEMS.neverPull);
    }
    const pull = this.#inTurn(async () => {
      signal.throwIfAborted();
      return await present() ?? await this.#pull(pod, name, signal);
    });
    const pulled = await unlessAborted(pull, signal);
    signal.throwIfAborted();
    return pulled!;
  }

  async #present(pod: Pod, name: string): Promise<Image | undefined> {
    const image = await this.#find(name);
    if (image) this.#options.event(pod, "Normal", "Pulled", `Container image "${name}" already present on machine`);
    return image;
  }

  async #pull(pod: Pod, name: string, signal: AbortSignal): Promise<Image> {
    const { api, clock, event } = this.#options;
    event(pod, "Normal", "Pulling", `Pulling image "${name}"`);
    const began = clock.monotonic();
    try {
      const whole = wholeName(name);
      // podman sees to its credentials itself.
      const headers = api.engine === "docker" ? registryAuth(whole) : {};
      // Without a tag, docker would pull all that there are.
      const fromImage = /[:@][^/]*$/.test(whole) ? whole : `${whole}:latest`;
      await createImage(api, { query: { fromImage }, headers, signal, timeoutMs: TIMEOUT_MS });
      const image = await this.#find(whole);
      if (!image) throw new Error(`the engine does not know the image ${whole} that it has pulled`);
      const tookMs = Math.round(clock.monotonic() - began);
      event(pod, "Normal", "Pulled", `Successfully pulled image "${name}" in ${tookMs}ms`);
      return image;
    } catch (error) {
      signal.throwIfAborted();
      throw new ContainerConfigError(`Failed to pull image "${name}": ${messageOf(error)}`, PROBLEMS.pull);
    }
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

/**
 * Has an engine pull or import an image. The last record of the answer says what became of it.
 *
 * @returns the last record's status: of an import the image's id
 * @throws {EngineError} with the engine's reason
 */
export function createImage(api: EngineApi, request: EngineRequest): Promise<string> {
  return api.stream("POST", "/images/create", request, async ({ status, body }) => {
    let last: { status?: string; error?: string } = {
      error: `${api.engine} has not reported what became of the image`,
    };
    for await (const lines of lineBatches(body!)) {
      const records = lines.map((line): typeof last => JSON.parse(line));
      last = records.find(({ error }) => error !== undefined) ?? records.at(-1)!;
      if (last.error !== undefined) break;
    }
    if (last.error !== undefined) throw new EngineError(last.error, { status });
    return last.status ?? "";
  });
}

/** Returns the name with its registry: Kubernetes looks for `busybox` at Docker Hub, engines where they are configured to. */
export function wholeName(image: string): string {
  const [first = "", ...rest] = image.split("/");
  if (rest.length === 0) return `docker.io/library/${image}`;
  return /[.:]/.test(first) || first === "localhost" ? image : `docker.io/${image}`;
}
