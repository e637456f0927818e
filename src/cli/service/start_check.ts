import { readTokenFile } from "../../apiserver/security/authentication.ts";
import { isStandardInput } from "../../manifest_files/parse.ts";
import { SystemClock } from "../../base/clock.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { ConfigError } from "../errors.ts";
import { pingServerOf } from "../shared/ping_options.ts";
import { readManifestsToApply } from "../standalone/apply.ts";
import { checkRuntimeFlags } from "../standalone/container_runtimes.ts";
import { assertThere, sourcesOf } from "../standalone/files.ts";
import type { StandaloneOptions } from "../standalone/run.ts";
import { readTimeZone } from "../standalone/time_zone.ts";

/**
 * Asserts that `standalone` would start with these flags and with the files that they name, as far as it can be known
 * beforehand: a service that can't is started again and again, and says so in its log alone.
 *
 * @throws {ConfigError} naming the flag or the file, and what to do
 */
export async function assertCanStart(options: StandaloneOptions): Promise<void> {
  checkRuntimeFlags(options);
  const zone = options.timeZone === undefined ? undefined : readTimeZone(options.timeZone);
  await assertThere(await sourcesOf(options, { clock: new SystemClock(), zone }));
  const manifests = [...options.apply, ...options.applyOnce];
  if (manifests.some(isStandardInput)) throw new ConfigError("A service has no standard input to apply: name a file");
  await readManifestsToApply(manifests);
  await pingServerOf(options);
  if (options.tokenFile !== undefined) assertTokens(options.tokenFile);
}

function assertTokens(file: string): void {
  try {
    readTokenFile(file);
  } catch (error) {
    throw new ConfigError(messageOf(error), { cause: error });
  }
}
