/** A mistake in the command line or the configuration: printed as one line, without a stack, exit code 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
