import { createHash } from "node:crypto";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { messageOf } from "../../../telemetry/message_of.ts";
import { readJson } from "../../files/disk.ts";
import { EngineError, type EngineName } from "./engine_error.ts";

const DEFAULT = "unix:///var/run/docker.sock";

type Env = Readonly<Record<string, string>>;

/** The arguments that say where docker is. */
const OPTIONS = { host: { type: "string", short: "H" }, context: { type: "string", short: "c" } } as const;

/**
 * Returns where docker's client finds its daemon: by arguments, `DOCKER_HOST`, `DOCKER_CONTEXT` or the chosen context.
 *
 * @throws {EngineError} if the arguments name something else
 */
export function dockerEndpoint(args: readonly string[], env: Env = Deno.env.toObject()): string {
  const { host, context } = endpointWords("docker", args, OPTIONS);
  if (host !== undefined) return host;
  if (context !== undefined) return endpointOfContext(context, env);
  const { DOCKER_HOST, DOCKER_CONTEXT } = env;
  if (DOCKER_HOST) return DOCKER_HOST;
  const config = readJson<{ currentContext?: string }>(`${dockerConfigFolder(env)}/config.json`, () => ({}));
  return endpointOfContext(DOCKER_CONTEXT || config?.currentContext || "default", env);
}

/** Returns the folder of docker's own configuration. */
export function dockerConfigFolder({ DOCKER_CONFIG, HOME = "" }: Env): string {
  return DOCKER_CONFIG || `${HOME}/.docker`;
}

function endpointOfContext(name: string, env: Env): string {
  if (name === "default") return DEFAULT;
  const id = createHash("sha256").update(name).digest("hex");
  const path = `${dockerConfigFolder(env)}/contexts/meta/${id}/meta.json`;
  const meta = readJson<{ Endpoints?: { docker?: { Host?: string } } }>(path, () => ({}));
  const host = meta?.Endpoints?.docker?.Host;
  if (host === undefined) throw new EngineError(`docker has no context "${name}"`);
  return host;
}

/**
 * Reads the arguments of an engine's client that say where its API is served.
 *
 * @throws {EngineError} if there are others
 */
export function endpointWords<T extends NonNullable<ParseArgsConfig["options"]>>(
  engine: EngineName,
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`).join(" and ");
    throw new EngineError(
      `${engine} is asked by its socket: of its arguments only ${known} can be given: ${messageOf(error)}`,
    );
  }
}
