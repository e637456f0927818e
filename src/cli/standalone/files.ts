import { resolve } from "node:path";
import { CrontabFile } from "../../applied_files/crontab_file.ts";
import { ManifestFolder } from "../../applied_files/folder.ts";
import { FileFollowing } from "../../applied_files/follow_files.ts";
import { SourcesFollower } from "../../applied_files/follower.ts";
import type { FileNews } from "../../applied_files/news.ts";
import type { FileSource } from "../../applied_files/source.ts";
import { PRODUCTION } from "../../cronjob/api/flavour.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import { timeZone } from "../../schedule/time_zone.ts";
import { ConfigError } from "../errors.ts";
import { isOfSystem, workstation } from "../shared/crontabs.ts";
import type { StandaloneOptions } from "./standalone_options.ts";
import { refusalReasons } from "./refusal_reasons.ts";

/** The folders and crontabs that are to be followed, each once. */
export async function sourcesOf(
  { manifests, crontab }: Pick<StandaloneOptions, "manifests" | "crontab">,
  { clock, zone = timeZone("Local").name }: { readonly clock: Clock; readonly zone?: string | undefined },
): Promise<FileSource[]> {
  const place = crontab.length === 0 ? undefined : await workstation();
  const given: readonly FileSource[] = [
    ...manifests.map((path) => new ManifestFolder(path)),
    ...crontab.map((path) =>
      new CrontabFile(path, {
        api: PRODUCTION,
        namespace: undefined,
        place: place!,
        timeZone: zone,
        hasUsers: isOfSystem(resolve(path)),
        now: () => clock.now(),
      })
    ),
  ];
  return given.filter(({ id }, i) => given.findIndex((each) => each.id === id) === i);
}

/**
 * Applies what sources want. Returns what goes on following them, if there is any.
 *
 * @throws {ConfigError} for a source that is not there, and of which nothing is kept: its name may be misspelt
 */
export async function followSources(
  sources: readonly FileSource[],
  { client, clock, report }: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly report: (news: FileNews) => void;
  },
): Promise<Runnable | undefined> {
  if (sources.length === 0) return undefined;
  const follower = new SourcesFollower(sources, { client, report, reasonsOf: refusalReasons(clock) });
  const [unknown] = await follower.look();
  if (unknown) throw notThere(unknown.source, unknown.reason);
  return new FileFollowing(follower, clock);
}

/** @throws {ConfigError} for a source that is not there */
export async function assertThere(sources: readonly FileSource[]): Promise<void> {
  for (const source of sources) {
    const text = await source.read();
    if (text.kind === "gone") throw notThere(source, text.reason);
  }
}

function notThere(source: FileSource, reason: string): ConfigError {
  const [flag, what] = source instanceof CrontabFile ? ["--crontab", "file"] : ["--manifests", "folder"];
  return new ConfigError(`Cannot follow ${flag} ${source.path}: ${reason}; name a ${what} that can be read`);
}
