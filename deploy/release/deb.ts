import { Buffer } from "node:buffer";
import { file, type RootEntry, text, withParents } from "../image/root_entries.ts";
import type { Asset } from "./assets.ts";
import { packEntries } from "./pack.ts";

/** The first member of each package: the version of its format. */
const FORMAT = new TextEncoder().encode("2.0\n");

/** Writes a package for Debian and Ubuntu: the executable, and its licence where Debian looks for it. */
export async function writeDeb(
  archive: string,
  { asset, version, repository }: { asset: Asset; version: string; repository: string },
): Promise<void> {
  const { size } = await Deno.stat(asset.compiled);
  const control = controlOf({ arch: asset.arch, version, repository, installedKib: Math.ceil(size / 1024) });
  const members = {
    "control.tar.gz": [text("/control", control)],
    "data.tar.gz": withParents([
      file("/usr/bin/cronjob-controller", asset.compiled, 0o755),
      file("/usr/share/doc/cronjob-controller/copyright", "LICENSE"),
    ]),
  };
  const parts: [name: string, content: Uint8Array][] = [["debian-binary", FORMAT]];
  for (const [name, entries] of Object.entries(members)) parts.push([name, await packed(entries)]);
  await Deno.writeFile(archive, arOf(parts));
}

/** Returns the fields by which dpkg knows a package; before a release, its version sorts before the release's. */
function controlOf(
  { arch, version, repository, installedKib }: {
    arch: string;
    version: string;
    repository: string;
    installedKib: number;
  },
): string {
  return `Package: cronjob-controller
Version: ${version.replace("-", "~")}
Architecture: ${arch}
Maintainer: cronjob-controller <${repository}>
Installed-Size: ${installedKib}
Depends: libc6 (>= 2.27), libgcc-s1
Section: admin
Priority: optional
Homepage: ${repository}
Description: runs Kubernetes CronJobs
 Says how CronJobs are and why one ran at a time or did not, and acts on them.
 On a workstation it runs them itself, in place of a crontab.
`;
}

async function packed(entries: readonly RootEntry[]): Promise<Uint8Array> {
  const archive = await Deno.makeTempFile();
  try {
    await packEntries(entries, archive);
    return await Deno.readFile(archive);
  } finally {
    await Deno.remove(archive);
  }
}

/** Returns an `ar` archive: each member begins at an even byte, behind 60 bytes that say what it is. */
function arOf(members: readonly (readonly [name: string, content: Uint8Array])[]): Uint8Array<ArrayBuffer> {
  const parts = members.flatMap(([name, content]) => {
    // Time, owner and group are 0.
    const fields = [[name, 16], ["0", 12], ["0", 6], ["0", 6], ["100644", 8], [`${content.length}`, 10]] as const;
    const header = `${fields.map(([field, width]) => field.padEnd(width)).join("")}\`\n`;
    return [new TextEncoder().encode(header), content, new Uint8Array(content.length % 2).fill(0x0a)];
  });
  return new Uint8Array(Buffer.concat([new TextEncoder().encode("!<arch>\n"), ...parts]));
}
