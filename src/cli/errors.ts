/** The command line or the configuration is wrong: printed as one line, without a stack, exit code 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
