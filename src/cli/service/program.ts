import { basename } from "node:path";

/** Returns the words by which this program is called, wherever one is. */
export async function programCommand(): Promise<string[]> {
  if (Deno.build.standalone) return [await lastingPath(Deno.execPath(), Deno.env.get("PATH") ?? "")];
  const main = new URL("../../../main.ts", import.meta.url).pathname;
  return [Deno.execPath(), "run", "-A", "--no-prompt", main];
}

/** Variables without which Deno would not find the program's libraries again. */
export function ofDeno(): string[] {
  return Deno.build.standalone ? [] : ["DENO_DIR", "DENO_TLS_CA_STORE"];
}

/**
 * Returns the link on PATH that leads to an executable, else the executable itself: an upgrade sets the link anew and may
 * remove the folder of the old version. Links in folders of other users don't count: they could lead elsewhere tomorrow.
 */
export async function lastingPath(executable: string, path: string): Promise<string> {
  const names = new Set(["cronjob-controller", basename(executable)]);
  for (const folder of path.split(":").filter((each) => each.startsWith("/"))) {
    for (const name of names) {
      if (await leadsTo(executable, folder, name)) return `${folder}/${name}`;
    }
  }
  return executable;
}

async function leadsTo(executable: string, folder: string, name: string): Promise<boolean> {
  try {
    const { uid } = await Deno.stat(folder);
    return (uid === 0 || uid === Deno.uid()) && await Deno.realPath(`${folder}/${name}`) === executable;
  } catch {
    // There is none.
    return false;
  }
}
