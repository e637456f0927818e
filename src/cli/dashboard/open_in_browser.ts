/** The programs that open a file with its default application. */
const OPENERS: Partial<Record<typeof Deno.build.os, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  windows: ["cmd", "/c", "start", ""],
};

/**
 * Opens a link in the browser, by a file that only its owner may read: every user of the machine can see the arguments of
 * a program, and the link logs its reader in. Disposing of the result removes the file.
 */
export async function openInBrowser(link: string): Promise<AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "cronjob-controller-" });
  const file = `${folder}/dashboard.html`;
  await Deno.writeTextFile(file, pageLeadingTo(link), { mode: 0o600 });
  const [program, ...args] = OPENERS[Deno.build.os] ?? ["xdg-open"];
  try {
    const command = new Deno.Command(program, { args: [...args, file], stdin: "null", stdout: "null", stderr: "null" });
    command.spawn().unref();
  } catch {
    // Without a browser the printed link has to do.
  }
  return { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

function pageLeadingTo(link: string): string {
  return `<!doctype html><meta charset="utf-8"><title>CronJobs</title><meta http-equiv="refresh" content="0;url=${link}">\n`;
}
