/** Fills a folder with links to all programs on PATH but these, and returns it: to be PATH of a process without them. */
export function pathWithout(folder: string, ...programs: readonly string[]): string {
  Deno.mkdirSync(folder, { recursive: true });
  const seen = new Set(programs);
  for (const directory of Deno.env.get("PATH")!.split(":")) {
    for (const name of entriesOf(directory)) {
      if (seen.has(name)) continue;
      seen.add(name);
      Deno.symlinkSync(`${directory}/${name}`, `${folder}/${name}`);
    }
  }
  return folder;
}

function entriesOf(directory: string): string[] {
  try {
    return Array.from(Deno.readDirSync(directory), ({ name }) => name);
  } catch {
    // PATH may name what is not there.
    return [];
  }
}
