import { readJson } from "../../files/disk.ts";
import { decodeBase64 } from "../../inputs/references.ts";
import { dockerConfigFolder } from "../api/docker_endpoint.ts";

/** Credentials for a registry, as docker's own file has them. */
export interface Auth {
  /** User and password with a colon between them, in base64. */
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
}

/** By registries, perhaps with the beginning of a path. */
export type Auths = Record<string, Auth>;

/** Returns what `docker login` has written down. Programs that keep credentials for docker are not asked. */
export function ownDockerAuths(env = Deno.env.toObject()): Auths {
  return readJson<{ auths?: Auths }>(`${dockerConfigFolder(env)}/config.json`, () => ({}))?.auths ?? {};
}

/** How docker's own files name Docker Hub. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/** Returns what is for an image: of several the one whose path is the longest. */
export function authFor(image: string, auths: Auths): Auth | undefined {
  const places = Object.keys(auths).map((place) => ({ place, path: pathOf(place) }))
    .filter(({ path }) => `${image}/`.startsWith(`${path}/`) || image.startsWith(`${path}:`))
    .sort((a, b) => b.path.length - a.path.length);
  return places[0] && auths[places[0].place];
}

/** Returns credentials in the form of Docker's header `X-Registry-Auth`. */
export function headerOf({ auth, username, password, identitytoken }: Auth): string {
  const [, user = username, secret = password] =
    /^([^:]*):(.*)$/s.exec(auth ? new TextDecoder().decode(decodeBase64(auth)) : "") ?? [];
  const fields = identitytoken ? { identitytoken } : { username: user, password: secret };
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(fields))))
    .replaceAll("+", "-").replaceAll("/", "_");
}

function pathOf(place: string): string {
  if (place === DOCKER_HUB) return "docker.io";
  return place.replace(/^https?:\/\//, "").replace(/\/(v[12]\/?)?$/, "");
}
