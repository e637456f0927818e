import type { Clock } from "../../runtime/clock.ts";
import type { StartOrder } from "../runtime.ts";
import { bootId } from "../process/identity.ts";
import { exchangeableSources } from "./container_arguments.ts";
import { nameOf } from "./container_names.ts";
import type { EngineCommand } from "./engine_command.ts";
import type { EngineContainers } from "./engine_containers.ts";
import type { EngineKind } from "./engine_kind.ts";
import { launch, type Launched, TOO_LATE } from "./launch.ts";
import { notMounted } from "./mounted_paths.ts";

export interface LauncherOptions {
  readonly kind: EngineKind;
  readonly command: EngineCommand;
  readonly containers: EngineContainers;
  readonly clock: Clock;
  /** Paths of the machine that containers may mount what lies under. */
  readonly hostPaths: readonly string[];
}

/** Engines' exit codes: none of the container is there; it cannot be started. */
export const NOT_CREATED = 125;
const NOT_STARTED = 126;

/** What a container is made from. */
export interface Recipe {
  /** Of `run`, without the word itself. */
  readonly args: readonly string[];
  /** Variables of the engine's command, besides our own. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Has the engine make containers and start them. Each command that may start one claims the run before ({@linkcode launch}).
 *
 * Where other containers may write above a path that this one mounts, the container is made first, then looked at, and then
 * started: what is mounted cannot be exchanged any more.
 */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #bootId = bootId();

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  async launch(order: StartOrder, { args, env }: Recipe): Promise<Launched> {
    const { kind: { initArgs }, hostPaths } = this.#options;
    const paths = exchangeableSources(order, hostPaths);
    if (initArgs && paths.length > 0) {
      return await this.#create(order, { args, env }) ?? await this.#init(order, initArgs) ??
        await this.#checked(order, paths) ?? await this.#start(order);
    }
    const launched = await this.#claimed(order, ["run", "--detach", ...args], env);
    return launched.code === 0 ? await this.#checked(order, paths) ?? launched : launched;
  }

  /** Resolves with a complaint if it fails. */
  async #create(order: StartOrder, { args, env }: Recipe): Promise<Launched | undefined> {
    const created = await this.#claimed(order, ["create", ...args], env);
    if (created.code === 0) return undefined;
    // docker does not say so by its exit code.
    return created.code === TOO_LATE ? created : { ...created, code: NOT_CREATED };
  }

  /** Resolves with a complaint if it fails. */
  async #init(order: StartOrder, argsFor: (name: string) => readonly string[]): Promise<Launched | undefined> {
    const { code, stderr } = await this.#options.command.run(argsFor(nameOf(order)), { lane: "launch" });
    return code === 0 ? undefined : { code, complaint: stderr };
  }

  #start(order: StartOrder): Promise<Launched> {
    return this.#claimed(order, ["start", nameOf(order)], {});
  }

  /** Resolves with a complaint if something else is mounted than these paths. The container is gone then. */
  async #checked(order: StartOrder, paths: readonly string[]): Promise<Launched | undefined> {
    if (paths.length === 0) return undefined;
    const { containers } = this.#options;
    const pid = (await containers.inspect(order))?.State.Pid ?? 0;
    // One that has ended already has no mounts any more.
    const wrong = pid > 0 ? notMounted(paths, pid) : undefined;
    if (wrong === undefined) return undefined;
    await containers.remove(order);
    const complaint = `Error: failed to prepare mounts: something else was put in the place of ${wrong}`;
    return { code: this.#options.kind.initArgs ? NOT_CREATED : NOT_STARTED, complaint };
  }

  async #claimed(order: StartOrder, words: readonly string[], env: Recipe["env"]): Promise<Launched> {
    const { clock, command, kind } = this.#options;
    const { files, backOffMs } = order;
    const attempt = crypto.randomUUID().slice(0, 8);
    const [endpoint, before] = [await command.endpoint(), await command.argv()];
    const startedAt = clock.now();
    files.writeIntent({ attempt, bootId: this.#bootId, backOffMs, startedAt, runtime: kind.name, endpoint });
    const argv = [...before, ...words];
    const { workingDirectory } = command;
    return await command.inTurn("launch", () => launch(files, { attempt, argv, env, clock, workingDirectory }));
  }
}
