import { readJson } from "../files/disk.ts";

/**
 * Writes a configuration of docker's command line that has other credentials than the operator's own and asks the same
 * daemon.
 */
export function writeDockerConfig(folder: string, credentials: string): void {
  const own = Deno.env.get("DOCKER_CONFIG") ?? `${Deno.env.get("HOME") ?? ""}/.docker`;
  const { currentContext } = readJson<{ currentContext?: string }>(`${own}/config.json`, () => ({})) ?? {};
  const config = { ...JSON.parse(credentials), currentContext };
  Deno.writeTextFileSync(`${folder}/config.json`, JSON.stringify(config), { mode: 0o600 });
  if (currentContext !== undefined) Deno.symlinkSync(`${own}/contexts`, `${folder}/contexts`);
}
