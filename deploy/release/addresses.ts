/** Where a release can be found. Nothing else in the repository says so. */
export interface Addresses {
  /** `https://github.com/owner/name` */
  readonly repository: string;
  /** The image's, without a tag: `ghcr.io/owner/name`. */
  readonly image: string;
}

/** @throws {Error} unless the environment says both: a release without addresses could not be installed */
export function addressesOf(env: { get(name: string): string | undefined }): Addresses {
  const repository = required(env, "REPOSITORY_URL", /^https:\/\/[^\s/]+\/\S+[^\s/]$/, "https://github.com/owner/name");
  const image = required(env, "IMAGE_REPOSITORY", /^[a-z0-9.:-]+(\/[a-z0-9._-]+)+$/, "ghcr.io/owner/name");
  return { repository, image };
}

/**
 * The image that a release installs, by its digest.
 *
 * @throws {Error} unless the environment says the digest
 */
export function pinnedImage({ image }: Addresses, env: { get(name: string): string | undefined }): string {
  return `${image}@${required(env, "IMAGE_DIGEST", /^sha256:[0-9a-f]{64}$/, `sha256:${"0".repeat(64)}`)}`;
}

function required(
  env: { get(name: string): string | undefined },
  name: string,
  pattern: RegExp,
  example: string,
): string {
  const value = env.get(name) ?? "";
  if (pattern.test(value)) return value;
  throw new Error(`${name} must be such as ${example}, current value is ${JSON.stringify(value)}`);
}

/** The page that has a section for each alert, as it is at a tag. */
export function runbooksOf({ repository }: Pick<Addresses, "repository">, tag: string): string {
  return `${repository}/blob/${tag}/docs/how-to/alerts.md`;
}

/** What an image says of where it comes from. */
export function addressLabels({ repository }: Addresses): Record<string, string> {
  return {
    "org.opencontainers.image.url": repository,
    "org.opencontainers.image.source": repository,
    "org.opencontainers.image.documentation": `${repository}#readme`,
  };
}
