import type { Clock } from "../../../runtime/clock.ts";
import { dockerEndpoint } from "./docker_endpoint.ts";
import { EngineApi, type EngineSocket } from "./engine_api.ts";
import { EngineError, type EngineName } from "./engine_error.ts";
import { PodmanService } from "./podman_service.ts";

export interface OpenApiOptions {
  /** The operator's own arguments for the engine. */
  readonly args: readonly string[];
  readonly dataDir: string;
  readonly clock: Clock;
}

const UNIX = "unix://";

/** The argument by which a service of podman is named that is at work already. */
const PODMAN_URL = /^--url(?:=(.*))?$/s;

/** Returns the API of an engine: docker's daemon's, or that of a service of podman that is named or is ours. */
export function openApi(engine: EngineName, options: OpenApiOptions): EngineApi {
  const { args, clock } = options;
  const index = args.findIndex((word) => PODMAN_URL.test(word));
  const named = engine === "docker"
    ? () => dockerEndpoint(args)
    : () => PODMAN_URL.exec(args[index]!)![1] ?? args[index + 1];
  const isOurs = engine === "podman" && index < 0;
  return new EngineApi(engine, { socket: isOurs ? new PodmanService(options) : socketAt(engine, named), clock });
}

/** Found once: containers at work stay with the daemon that has them, whatever context is chosen meanwhile. */
function socketAt(engine: EngineName, endpoint: () => string | undefined): EngineSocket {
  let path: string | undefined;
  return { path: () => Promise.resolve().then(() => path ??= socketOf(engine, endpoint() ?? "")) };
}

function socketOf(engine: EngineName, endpoint: string): string {
  if (endpoint.startsWith(UNIX)) return endpoint.slice(UNIX.length);
  throw new EngineError(
    `${engine} works on another machine or in a virtual one, at ${endpoint}: name a socket here, as unix:///PATH`,
  );
}
