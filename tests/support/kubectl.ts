import { AssertionError } from "@std/assert";

/** Older ones speak APIs that no server of today has. */
export const OLDEST_MINOR = 28;

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are no failure. @default [0] */
  readonly codes?: readonly number[];
}

let version: Promise<void> | undefined;

/** The kubectl on PATH, against one server, with a discovery cache of its own. */
export class Kubectl implements AsyncDisposable {
  readonly #kubeconfig: string;
  readonly #home: string;
  readonly #namespace: string;

  private constructor(kubeconfig: string, home: string, namespace: string) {
    this.#kubeconfig = kubeconfig;
    this.#home = home;
    this.#namespace = namespace;
  }

  /** @throws one line when kubectl is missing or too old */
  static async create(kubeconfig: string, namespace = "default"): Promise<Kubectl> {
    await (version ??= checkVersion());
    return new Kubectl(kubeconfig, await Deno.makeTempDir({ prefix: "cronjob-controller-kubectl-" }), namespace);
  }

  /** @throws with what kubectl said, when it ends otherwise than expected */
  async run(args: readonly string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    const process = this.start(args, options);
    const writer = process.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin ?? ""));
    await writer.close();
    const { code, stdout, stderr } = await process.output();
    const result = { code, stdout: text(stdout), stderr: text(stderr) };
    if (!(options.codes ?? [0]).includes(code)) {
      throw new AssertionError({
        message: `kubectl ${args.join(" ")} ended with ${code}\n${result.stderr}${result.stdout}`,
      });
    }
    return result;
  }

  /** What it prints, without the last line break. */
  async output(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    return (await this.run(args, options)).stdout.trimEnd();
  }

  /** A command that goes on, such as `get -w`. Its streams are the caller's. */
  start(args: readonly string[], options: KubectlOptions = {}): Deno.ChildProcess {
    return new Deno.Command("kubectl", {
      args: ["--namespace", this.#namespace, ...args],
      env: { ...options.env, KUBECONFIG: this.#kubeconfig, HOME: this.#home },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#home, { recursive: true });
  }
}

/** Returns whether the kubectl on PATH is there and new enough. */
export async function usableKubectl(): Promise<boolean> {
  return await kubectlMinor() >= OLDEST_MINOR;
}

async function checkVersion(): Promise<void> {
  const minor = await kubectlMinor();
  if (minor >= OLDEST_MINOR) return;
  const found = minor < 0 ? "there is none" : `found 1.${minor}`;
  throw new Error(`These tests need kubectl 1.${OLDEST_MINOR} or newer on PATH: ${found}`);
}

/** Returns the minor version of the kubectl on PATH: -1 where there is none, 0 where it cannot say. */
async function kubectlMinor(): Promise<number> {
  try {
    const command = new Deno.Command("kubectl", { args: ["version", "--client", "-o", "json"], stderr: "null" });
    const { stdout } = await command.output();
    return parseInt(JSON.parse(text(stdout) || "{}").clientVersion?.minor ?? "0");
  } catch {
    return -1;
  }
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
