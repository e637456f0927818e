import { dockerEndpoint, endpointWords } from "./docker_endpoint.ts";
import { EngineApi } from "./engine_api.ts";
import { EngineError, type EngineName } from "./engine_error.ts";
import { PodmanService, type PodmanServiceOptions } from "./podman_service.ts";

const UNIX = "unix://";

/** The argument by which a service of podman is named that is at work already. */
const PODMAN_URL = { url: { type: "string" } } as const;

/**
 * Returns the API of an engine: docker's daemon's, or that of a service of podman that is named or is ours.
 *
 * @param options of podman's service; its arguments are the operator's own for either engine
 */
export function openApi(engine: EngineName, options: PodmanServiceOptions): EngineApi {
  const { args, clock } = options;
  const isOurs = engine === "podman" && !args.some((word) => /^--url(=|$)/.test(word));
  const endpoint = () => engine === "docker" ? dockerEndpoint(args) : endpointWords(engine, args, PODMAN_URL).url!;
  let found: string | undefined;
  // Found once: containers at work stay with the daemon that has them, whatever context is chosen meanwhile.
  const named = { path: () => Promise.resolve().then(() => found ??= socketOf(engine, endpoint())) };
  return new EngineApi(engine, { socket: isOurs ? new PodmanService(options) : named, clock });
}

function socketOf(engine: EngineName, endpoint: string): string {
  if (endpoint.startsWith(UNIX)) return endpoint.slice(UNIX.length);
  throw new EngineError(
    `${engine} works on another machine or in a virtual one, at ${endpoint}: name a socket here, as unix:///PATH`,
  );
}
