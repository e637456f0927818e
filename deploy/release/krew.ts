import type { Addresses } from "./addresses.ts";
import type { Asset } from "./assets.ts";

/**
 * A manifest for krew, the manager of kubectl's plugins: `kubectl cronjob-controller`. Krew links the executable under the
 * plugin's name, by which the program knows how it was called.
 *
 * @param checksums of the archives, by their names, in hexadecimal digits
 */
export function krewManifest(
  { version, addresses, assets, checksums }: {
    version: string;
    addresses: Addresses;
    assets: readonly Asset[];
    checksums: ReadonlyMap<string, string>;
  },
): object {
  return {
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "cronjob-controller" },
    spec: {
      version: `v${version}`,
      homepage: addresses.repository,
      shortDescription: "See why CronJobs ran or did not, and act on them",
      description: [
        "Shows how CronJobs are, the worst first, explains why one ran at a time or did not,",
        "shows runs and what they wrote, and triggers, pauses, resumes and back-fills.",
        "It works with batch/v1 CronJobs and those of cronjob-controller.dev.",
        "",
      ].join("\n"),
      platforms: assets.map(({ os, arch, archive, program }) => ({
        selector: { matchLabels: { os, arch } },
        uri: `${addresses.repository}/releases/download/v${version}/${archive}`,
        sha256: checksumOf(checksums, archive),
        bin: program,
        files: [program, "LICENSE"].map((from) => ({ from, to: "." })),
      })),
    },
  };
}

function checksumOf(checksums: ReadonlyMap<string, string>, archive: string): string {
  const checksum = checksums.get(archive);
  if (checksum === undefined) throw new Error(`Cannot write krew's manifest: there is no ${archive}`);
  return checksum;
}
