import { lchown } from "node:fs/promises";
import { dirname } from "node:path";
import { ignoreMissing } from "../shared/files.ts";
import type { Account } from "./supervisor.ts";

/** Makes a folder that its owner alone can read, in folders that everyone can go through. */
export async function makeFolderFor({ uid, gid }: Pick<Account, "uid" | "gid">, path: string): Promise<void> {
  if (await isFolder(path)) return;
  await makeParents(dirname(path));
  await Deno.mkdir(path, { mode: 0o700 });
  // A link that others may have put in its place is not followed.
  await lchown(path, uid, gid);
}

async function makeParents(path: string): Promise<void> {
  if (await isFolder(path)) return;
  await makeParents(dirname(path));
  await Deno.mkdir(path);
  // Whatever the umask of who installs it.
  await Deno.chmod(path, 0o755);
}

/** Returns false where there is nothing at all, too. */
export async function isFolder(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(ignoreMissing))?.isDirectory ?? false;
}
