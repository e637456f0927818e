import { PROGRAM, temporaryFolder } from "../../support/program.ts";
import { runToEnd } from "../../support/run_to_end.ts";

/** Makes a folder, and a PATH that begins with it, where a shell finds the program as `cronjob-controller`. */
export async function programOnPath() {
  const words = PROGRAM.map((word) => `'${word}'`).join(" ");
  const folder = await temporaryFolder({ "cronjob-controller": `#!/bin/sh\nexec ${words} "$@"\n` });
  await Deno.chmod(`${folder.path}/cronjob-controller`, 0o755);
  const PATH = `${folder.path}:${Deno.env.get("PATH")}`;
  /** Returns the lines that a command writes which finds the program. */
  const outputOf = async (command: readonly string[], env: Record<string, string> = {}) => {
    const { stdout, stderr } = await runToEnd(command, { env: { PATH, NO_COLOR: "1", ...env } });
    if (stderr !== "") throw new Error(stderr);
    return stdout.split("\n").filter((line) => line !== "");
  };
  return { ...folder, PATH, outputOf };
}
