/** Processes that have to do with a folder: it is in their command line, or they have a file open in it. */
export async function processesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name: pid } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === Deno.pid) continue;
    try {
      const command = await Deno.readTextFile(`/proc/${pid}/cmdline`);
      const files = await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`), ({ name }) => `/proc/${pid}/fd/${name}`);
      const open = await Promise.all([...files, `/proc/${pid}/cwd`].map((file) => Deno.readLink(file).catch(() => "")));
      if ([command, ...open].some((text) => text.includes(folder))) found.push(command.replaceAll("\0", " "));
    } catch {
      // It has ended meanwhile, or is none of ours.
    }
  }
  return found;
}
