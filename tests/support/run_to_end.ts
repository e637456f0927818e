export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export async function runToEnd(
  [program = "", ...args]: readonly string[],
  { stdin, ...options }: { stdin?: string | undefined; env?: Record<string, string>; cwd?: string } = {},
): Promise<Ended> {
  const child = new Deno.Command(program, {
    args,
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    ...options,
  }).spawn();
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
