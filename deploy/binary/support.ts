/** The repository, with a slash at its end. */
export const ROOT = new URL("../..", import.meta.url).pathname;

/**
 * What a program prints, without the last line's end.
 *
 * @throws {Error} that says in one line why it failed
 */
export async function outputOf(
  command: string,
  args: readonly string[],
  env: Record<string, string> = Deno.env.toObject(),
): Promise<string> {
  const options: Deno.CommandOptions = { args: [...args], env, clearEnv: true, stdin: "null" };
  const { success, stdout, stderr } = await new Deno.Command(command, options).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  if (!success) throw new Error(lastWords(text(stderr)));
  return text(stdout);
}

/** The error among what Deno prints, with its nearest causes, in one line and without colours. */
export function lastWords(stderr: string): string {
  // deno-lint-ignore no-control-regex
  const lines = stderr.replaceAll(/\x1b\[[\d;]*m/g, "").split("\n").map((line) => line.trim()).filter((line) => line);
  const causes = lines.indexOf("Caused by:");
  const words = causes < 0
    ? lines.slice(Math.max(lines.findIndex((line) => line.startsWith("error:")), 0))
    : lines.slice(causes + 1, causes + 3).map((line) => line.replace(/^\d+: /, "").replace(/\.$/, ""));
  return words.join(causes < 0 ? " " : ": ").replace(/^error: /, "") || "it said nothing";
}

/** A folder with nothing in it. */
export async function emptyFolder(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await Deno.mkdir(path, { recursive: true });
}
