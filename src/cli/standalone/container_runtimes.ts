import type { EngineName } from "../../kubelet/engine/api/engine_error.ts";
import { problemOf } from "../../kubelet/engine/engine_problem.ts";
import type { RuntimeOptions } from "../../kubelet/open_runtimes.ts";
import type { RuntimeName } from "../../kubelet/files/run_files.ts";
import type { Clock } from "../../base/clock.ts";
import { ConfigError, FlagError } from "../errors.ts";
import type { RuntimeChoice, StandaloneOptions } from "./standalone_options.ts";

type ContainerRuntimeOptions = Pick<
  StandaloneOptions,
  "containerRuntime" | "containerRuntimeArgs" | "containerNetwork" | "allowHostPath" | "allowPrivileged"
>;

const ENGINE_NAMES: readonly EngineName[] = ["podman", "docker"];

/**
 * Returns the runtimes that the kubelet is to use.
 *
 * @param timeZone what `--time-zone` names, for containers from images
 * @throws {ConfigError} if a runtime that is asked for does not work
 */
export async function runtimesFor(
  options: ContainerRuntimeOptions,
  { clock, timeZone }: { readonly clock: Clock; readonly timeZone: string | undefined },
): Promise<RuntimeOptions> {
  const { containerRuntime, containerRuntimeArgs: engineArgs, containerNetwork: network } = options;
  const { allowHostPath, allowPrivileged: privileged } = options;
  checkRuntimeFlags(options);
  const allowed: RuntimeName[] = [];
  for (const choice of containerRuntime) {
    const isFirst = !allowed.some((name) => name !== "process");
    const args = isFirst ? engineArgs : [];
    const name = choice === "auto" ? await best(clock) : choice;
    if (allowed.includes(name)) continue;
    const problem = choice === "auto" || name === "process" ? undefined : await problemOf(name, args, clock);
    if (problem !== undefined) throw new ConfigError(`Cannot use container runtime ${name}: ${problem}`);
    allowed.push(name);
  }
  return { allowed, engineArgs, network, timeZone, hostPaths: allowHostPath, privileged };
}

/** @throws {FlagError} where flags are wrong whatever the machine has */
function checkRuntimeFlags(options: ContainerRuntimeOptions): void {
  const { containerRuntime, containerRuntimeArgs, allowHostPath } = options;
  if (containerRuntime.length === 0) throw new FlagError("--container-runtime must name at least one runtime");
  const relative = allowHostPath.find((path) => !path.startsWith("/"));
  if (relative !== undefined) throw new FlagError(`--allow-host-path must be an absolute path, not ${relative}`);
  checkArgs(containerRuntimeArgs, containerRuntime);
}

async function best(clock: Clock): Promise<RuntimeName> {
  for (const engine of ENGINE_NAMES) {
    if (await problemOf(engine, [], clock) === undefined) return engine;
  }
  return "process";
}

/** @throws {FlagError} where it is not known whose they are, or which file they mean */
function checkArgs(engineArgs: readonly string[], choices: readonly RuntimeChoice[]): void {
  const flag = "--container-runtime-args";
  if (engineArgs.length > 0 && choices.find((choice) => choice !== "process") === "auto") {
    throw new FlagError(`${flag} is for one engine: name podman or docker in --container-runtime in place of auto`);
  }
  const relative = engineArgs.find((word) => RELATIVE_PATH.test(word));
  if (relative === undefined) return;
  throw new FlagError(`${flag} must have absolute paths, not ${relative}: the engine is called in the data dir`);
}

/** As the whole word, or after its `=`. */
const RELATIVE_PATH = /(^|=)\.{1,2}(\/|$)/;
