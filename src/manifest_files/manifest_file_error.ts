/** A path that was given leads to no manifests. */
export class ManifestFileError extends Error {
  override readonly name = "ManifestFileError";
}
