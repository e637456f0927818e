import { fail } from "@std/assert";
import { type Ended, runToEnd } from "./run_to_end.ts";

export interface KubectlOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are no failure. @default [0] */
  readonly codes?: readonly number[];
}

/** The kubectl on PATH, against one server, with a discovery cache of its own. */
export class Kubectl {
  readonly #command: readonly string[];

  constructor(kubeconfig: string, namespace = "default") {
    const server = ["--kubeconfig", kubeconfig, "--cache-dir", `${kubeconfig}.cache`];
    this.#command = ["kubectl", ...server, "--namespace", namespace];
  }

  /** @throws with the words of kubectl, where it ends otherwise than expected */
  async run(args: readonly string[], { codes = [0], ...options }: KubectlOptions = {}): Promise<Ended> {
    const ended = await runToEnd([...this.#command, ...args], options);
    if (codes.includes(ended.code)) return ended;
    fail(`kubectl ${args.join(" ")} ended with ${ended.code}\n${ended.stderr}${ended.stdout}`);
  }

  /** What it prints, without the last line break. */
  async output(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    return (await this.run(args, options)).stdout.trimEnd();
  }

  /** A command that goes on, such as `get -w`. Its streams are the caller's. */
  start(args: readonly string[]): Deno.ChildProcess {
    const [program = "", ...all] = [...this.#command, ...args];
    return new Deno.Command(program, { args: all, stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
  }
}
