/**
 * The files that the dynamic loader opens for `program` on this machine, the loader included, under the names by which
 * they are looked for. `ldd` finds them, so `program` must be one that this machine can run.
 *
 * @throws when `ldd` cannot read it, or a library is missing
 */
export async function sharedLibraries(program: string): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command("ldd", { args: [program], env: { LC_ALL: "C" } }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) {
    throw new Error(`Cannot find the libraries of ${program}: ${text(stderr).trim() || text(stdout).trim()}`);
  }
  return librariesNamed(text(stdout), program);
}

/** What `ldd` printed -> paths, sorted. What has no path (the kernel's own page) is no file. */
export function librariesNamed(ldd: string, program: string): string[] {
  const paths = new Set<string>();
  for (const line of ldd.split("\n")) {
    const [, missing] = /^\s*(\S+) => not found/.exec(line) ?? [];
    if (missing) throw new Error(`Cannot find the libraries of ${program}: ${missing} is missing on this machine`);
    const [, path] = /(?:^|\s)(\/\S+) \(0x[0-9a-f]+\)$/.exec(line) ?? [];
    if (path) paths.add(path);
  }
  return [...paths].sort();
}
