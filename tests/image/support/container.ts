import { assertEquals } from "@std/assert";
import { NONROOT } from "../../../deploy/image/root_entries.ts";
import { RunningProgram } from "../../support/program.ts";

/** A container as a Pod has one: what differs from Pod to Pod. */
export interface ContainerOptions {
  /** The image's root file system. Mount points are made in it, as container runtimes do. */
  readonly root: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Path in the container -> folder or file of this machine. All are read-only. */
  readonly mounts?: Readonly<Record<string, string>>;
  readonly hostname?: string;
}

/**
 * The command line that runs a container as the `restricted` profile of Kubernetes with a read-only root wants it: neither
 * root nor able to become it, without capabilities, process 1 of its own, and nothing to write to. It shares this
 * machine's network, and signals go to its own process: `pid` of `Container` is its number.
 */
export async function containerCommand(options: ContainerOptions): Promise<string[]> {
  const { root, command, env = {}, mounts = {}, hostname = "pod" } = options;
  const bound: string[] = [];
  for (const [path, source] of Object.entries(mounts)) {
    await makeMountPoint(root, path, (await Deno.stat(source)).isDirectory);
    bound.push("--ro-bind", source, path);
  }
  const identity = ["--unshare-user", "--uid", `${NONROOT}`, "--gid", `${NONROOT}`, "--cap-drop", "ALL"];
  const apart = ["--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--hostname", hostname];
  const files = ["--ro-bind", root, "/", ...bound, "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"];
  const variables = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
  return [
    // Where the test is root, no process of the container is, as seen from outside either.
    ...(Deno.uid() === 0 ? ["setpriv", `--reuid=${NONROOT}`, `--regid=${NONROOT}`, "--clear-groups"] : []),
    ...["bwrap", "--die-with-parent", "--new-session", ...identity, ...apart, ...files],
    ...["--clearenv", ...variables, "--chdir", "/home/nonroot", "--", ...command],
  ];
}

async function makeMountPoint(root: string, path: string, isDirectory: boolean): Promise<void> {
  if (isDirectory) return await Deno.mkdir(root + path, { recursive: true, mode: 0o755 });
  await Deno.writeTextFile(root + path, "", { append: true });
}

/** A container that runs. */
export class Container implements AsyncDisposable {
  readonly program: RunningProgram;

  private constructor(program: RunningProgram) {
    this.program = program;
  }

  static async start(options: ContainerOptions): Promise<Container> {
    return new Container(new RunningProgram(await containerCommand(options)));
  }

  /** The container's process 1, by its number outside. */
  async pid(): Promise<number> {
    const children = await Deno.readTextFile(`/proc/${this.program.pid}/task/${this.program.pid}/children`);
    const pids = children.trim().split(" ");
    assertEquals(pids.length, 1, `process 1 is the only child: ${children}`);
    return Number(pids[0]);
  }

  /** Signals process 1 and gives the exit code of the container, which must end within `timeoutMs`. */
  async end(signal: Deno.Signal, timeoutMs = 30_000): Promise<number> {
    Deno.kill(await this.pid(), signal);
    const timer = setTimeout(() => this.program.child.kill("SIGKILL"), timeoutMs);
    const { code } = await this.program.end();
    clearTimeout(timer);
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
  }
}

/** Runs a container to its end. */
export async function runContainer(options: ContainerOptions): Promise<{ code: number; output: string }> {
  await using container = await Container.start(options);
  const { code } = await container.program.end();
  return { code, output: container.program.output };
}
