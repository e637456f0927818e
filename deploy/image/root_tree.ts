import type { RootEntry } from "./root_entries.ts";

/** Writes entries, parents first, beneath `root`. Owners are set where this process is root; archives carry them anyway. */
export async function writeTree(root: string, entries: readonly RootEntry[]): Promise<void> {
  for (const entry of entries) {
    const path = root + entry.path;
    switch (entry.kind) {
      case "directory":
        await Deno.mkdir(path, { recursive: true });
        break;
      case "link":
        await Deno.symlink(entry.target, path);
        continue;
      case "text":
        await Deno.writeTextFile(path, entry.text);
        break;
      case "file":
        await Deno.copyFile(entry.source, path);
        break;
      default:
        entry satisfies never;
    }
    // Asked for again: the process's mask takes bits away from what is created, and a copy has the bits of its source.
    await Deno.chmod(path, entry.mode);
    if (Deno.uid() === 0) await Deno.chown(path, entry.owner, entry.owner);
  }
}

/**
 * Packs entries of a tree that `writeTree` wrote, in their order and with their owners, as GNU tar writes the ustar format;
 * all times are 0. The same entries give the same bytes, on any day and machine.
 */
export async function packTree(root: string, entries: readonly RootEntry[], archive: string): Promise<void> {
  const owners = [...new Set(entries.map(({ owner }) => owner))].sort((a, b) => a - b);
  for (const [index, owner] of owners.entries()) {
    const paths = entries.filter((entry) => entry.owner === owner).map(({ path }) => path.slice(1));
    const tar = new Deno.Command("tar", {
      args: [
        index === 0 ? "--create" : "--append",
        ...["--file", archive, "--directory", root, "--format=ustar", "--mtime=@0"],
        ...[`--owner=${owner}`, `--group=${owner}`, "--numeric-owner", "--no-recursion", "--null", "--files-from=-"],
      ],
      stdin: "piped",
    }).spawn();
    await ReadableStream.from([new TextEncoder().encode(paths.map((path) => `${path}\0`).join(""))]).pipeTo(tar.stdin);
    const { success } = await tar.status;
    if (!success) throw new Error(`Cannot pack ${root}: GNU tar failed`);
  }
}
