import { readJson } from "../../files/disk.ts";
import { dockerConfigFolder } from "../api/docker_endpoint.ts";

/** Credentials by registries, as docker's own file has them. */
type DockerConfig = { readonly auths?: Record<string, { readonly auth?: string; readonly identitytoken?: string }> };

/** How docker's own file names Docker Hub. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/**
 * Returns what `docker login` has written down for the registry of an image, as Docker's API takes it. Programs that keep
 * credentials for docker are not asked.
 */
export function registryAuth(image: string, env = Deno.env.toObject()): Record<string, string> {
  const [registry = ""] = image.split("/");
  const { auths = {} } = readJson<DockerConfig>(`${dockerConfigFolder(env)}/config.json`, () => ({})) ?? {};
  const { auth = "", identitytoken } = auths[registry === "docker.io" ? DOCKER_HUB : registry] ?? {};
  // User and password with a colon between them, both perhaps not in ASCII.
  const [, username = "", password = ""] = /^([^:]*):(.*)$/s.exec(atob(auth)) ?? [];
  if (!username && !identitytoken) return {};
  const text = btoa(JSON.stringify(identitytoken ? { identitytoken } : { username, password }));
  return { "x-registry-auth": text.replaceAll("+", "-").replaceAll("/", "_") };
}
