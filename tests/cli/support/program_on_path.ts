import { atLeast } from "../../support/expected.ts";
import { PROGRAM } from "../../support/program.ts";

/** A folder for PATH in which the program is found as `cronjob-controller`, as a shell would find it. */
export class ProgramOnPath implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  static async make(): Promise<ProgramOnPath> {
    const folder = await Deno.makeTempDir();
    const words = PROGRAM.map((word) => `'${word}'`).join(" ");
    await Deno.writeTextFile(`${folder}/cronjob-controller`, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    return new ProgramOnPath(folder);
  }

  /** What a command writes that finds the program. */
  async outputOf(command: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
    const PATH = `${this.folder}:${Deno.env.get("PATH")}`;
    const [file, ...args] = atLeast(1, command);
    const options = { args, env: { PATH, NO_COLOR: "1", ...env }, stdin: "null", stderr: "piped" } as const;
    const { stdout, stderr } = await new Deno.Command(file, options).output();
    const complaint = new TextDecoder().decode(stderr);
    if (complaint !== "") throw new Error(complaint);
    return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}
