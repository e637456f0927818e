/** A path that the user named cannot be read. */
export class ManifestFileError extends Error {
  override readonly name = "ManifestFileError";
}
