import { type Addresses, addressLabels } from "../release/addresses.ts";
import { NONROOT, PROGRAM_PATH } from "./root_entries.ts";

/** A file of an image, known by its digest. */
export interface Blob {
  readonly mediaType: string;
  /** `sha256:` and hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/** What an image says of itself. */
export interface ImageFacts {
  readonly name: string;
  readonly version: string;
  /** The commit that it was built from; absent: not known. */
  readonly revision?: string | undefined;
  /** Where it comes from; absent: it is no release. */
  readonly addresses?: Addresses | undefined;
  /** RFC 3339. */
  readonly created: string;
  /** As Go names it. */
  readonly architecture: "amd64" | "arm64";
}

export const LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar";
export const CONFIG_TYPE = "application/vnd.oci.image.config.v1+json";
export const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";

/** How the program is started: the same as the last stage of `deploy/Dockerfile` says. */
export function imageConfig(facts: ImageFacts, layers: readonly Blob[]) {
  return {
    architecture: facts.architecture,
    os: "linux",
    created: facts.created,
    config: {
      User: `${NONROOT}:${NONROOT}`,
      WorkingDir: "/home/nonroot",
      Env: [
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
      ],
      Entrypoint: [PROGRAM_PATH],
      Cmd: ["controller"],
      ExposedPorts: { "8080/tcp": {}, "8081/tcp": {} },
      Labels: labelsOf(facts),
    },
    // Layers are not compressed, so the digests of what is in them are their own.
    rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => digest) },
    history: layers.map((_, index) => ({
      created: facts.created,
      created_by: `deploy/rootfs.ts (${index + 1} of ${layers.length})`,
    })),
  };
}

export function labelsOf({ name, version, revision, addresses, created }: ImageFacts): Record<string, string> {
  return {
    "org.opencontainers.image.title": name,
    "org.opencontainers.image.description": "Runs Kubernetes CronJobs",
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.version": version,
    ...(revision !== undefined && { "org.opencontainers.image.revision": revision }),
    "org.opencontainers.image.created": created,
    ...(addresses && addressLabels(addresses)),
  };
}

export function imageManifest(config: Blob, layers: readonly Blob[]) {
  return { schemaVersion: 2, mediaType: MANIFEST_TYPE, config, layers };
}

/** `index.json` of an OCI layout, with the names by which `skopeo`, `podman` and containerd look for an image. */
export function imageIndex(manifest: Blob, { name, version, architecture }: ImageFacts) {
  const annotations = {
    "io.containerd.image.name": `docker.io/library/${name}:${version}`,
    "org.opencontainers.image.ref.name": version,
  };
  return layoutIndex({ ...manifest, platform: { architecture, os: "linux" }, annotations });
}

/** `index.json` of an OCI layout that holds one thing. */
export function layoutIndex(manifest: object) {
  return { schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [manifest] };
}

/** `manifest.json` beside it, by which every `docker load` finds its way. */
export function dockerManifest(config: Blob, layers: readonly Blob[], { name, version }: ImageFacts) {
  return [{ Config: blobPath(config), RepoTags: [`${name}:${version}`], Layers: layers.map(blobPath) }];
}

/** Where a blob is in an OCI layout. */
export function blobPath({ digest }: Blob): string {
  return `blobs/${digest.replace(":", "/")}`;
}
