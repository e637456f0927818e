import { Stage } from "../../../runtime/abort.ts";
import { after, type Clock } from "../../../runtime/clock.ts";
import { readJson } from "../../files/disk.ts";
import { loggerFor } from "../../../telemetry/logging.ts";
import { messageOf } from "../../../telemetry/message_of.ts";
import { dockerConfigFolder } from "../api/docker_endpoint.ts";
import { authFor, type Auths, DOCKER_HUB, headerOf } from "./pull_secrets.ts";

/** What of docker's own file says where its user's credentials are. */
interface DockerConfig {
  readonly auths?: Auths;
  /** Names of programs that keep credentials, by registries. */
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

/** The user of a token has this name. */
const TOKEN = "<token>";

/** How long a program that keeps credentials may take. */
const HELPER_MS = 30_000;

export interface Asking {
  readonly clock: Clock;
  /** Once it is aborted, nothing waits for the credentials any more. */
  readonly signal: AbortSignal;
}

const logger = loggerFor("kubelet");

/**
 * Returns the credentials for an image that docker's client would send to its daemon, in the form of the header
 * `X-Registry-Auth`; undefined if there are none.
 */
export async function ownDockerAuth(image: string, asking: Asking): Promise<string | undefined> {
  const config = readJson<DockerConfig>(`${dockerConfigFolder(Deno.env.toObject())}/config.json`, () => ({})) ?? {};
  const host = image.split("/")[0]!;
  const registry = host === "docker.io" ? DOCKER_HUB : host;
  const helper = config.credHelpers?.[registry] ?? config.credsStore;
  const kept = helper ? await askHelper(helper, registry, asking) : undefined;
  return kept ?? headerOfFile(image, config.auths ?? {});
}

function headerOfFile(image: string, auths: Auths): string | undefined {
  const found = authFor(image, auths);
  return found && headerOf(found);
}

async function askHelper(helper: string, registry: string, { clock, signal }: Asking): Promise<string | undefined> {
  using stage = new Stage(signal);
  using _timer = after(clock, HELPER_MS, () => stage.abort());
  try {
    const command = new Deno.Command(`docker-credential-${helper}`, {
      args: ["get"],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      signal: stage.signal,
    });
    await using child = command.spawn();
    // It need not read that.
    await new Blob([registry]).stream().pipeTo(child.stdin).catch(() => {});
    const { success, stdout } = await child.output();
    if (stage.signal.aborted) {
      throw new Error(`docker-credential-${helper} did not answer within ${HELPER_MS / 1000} s`);
    }
    if (!success) return undefined;
    const { Username, Secret } = JSON.parse(new TextDecoder().decode(stdout)) as { Username: string; Secret: string };
    return headerOf(Username === TOKEN ? { identitytoken: Secret } : { username: Username, password: Secret });
  } catch (error) {
    logger.warn("Cannot read docker's credentials: {error}", { error: `${registry}: ${messageOf(error)}` });
    return undefined;
  }
}
