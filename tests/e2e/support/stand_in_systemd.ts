import { fail } from "@std/assert";
import { must } from "../../support/expected.ts";
import { RunningProgram } from "../../support/program.ts";

const CALL = new URL("./stand_in_call.ts", import.meta.url).pathname;

/** What of a unit counts here, read as systemd reads it. */
export interface Unit {
  readonly settings: ReadonlyMap<string, readonly string[]>;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Reads a unit. @throws {Error} for what systemd would not take */
export function readUnit(text: string): Unit {
  const settings = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    if (line === "" || /^[#;[]/.test(line)) continue;
    const [, name = "", value = ""] = /^([A-Za-z-]+)=(.*)$/.exec(line) ?? fail(`Not a setting: ${line}`);
    settings.set(name, [...settings.get(name) ?? [], value]);
  }
  const variables = (settings.get("Environment") ?? []).flatMap(words);
  return {
    settings,
    command: words(must(settings.get("ExecStart")![0])).map((word, index) =>
      index === 0 ? word : word.replaceAll("$$", "$")
    ),
    environment: Object.fromEntries(
      variables.map((each) => [each.split("=", 1)[0], each.slice(each.indexOf("=") + 1)]),
    ),
  };
}

function words(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, bare = ""]) =>
    (quoted ?? bare).replaceAll(/\\(.)/g, "$1").replaceAll("%%", "%")
  );
}

/**
 * Stands in for systemd with one unit: starts exactly its ExecStart with exactly its environment, reads what it says over a
 * real notify socket, and ends its main process alone, as KillMode=process has it. Called by programs of systemd's names in
 * {@linkcode bin}.
 */
export class StandInSystemd implements AsyncDisposable {
  readonly bin: string;
  readonly calls: string[] = [];
  /** What the program said, of all its starts. */
  readonly heard: string[] = [];
  readonly starts: RunningProgram[] = [];
  readonly #folder: string;
  readonly #unitFile: string;
  readonly #listener: Deno.UnixListener;
  readonly #notify: Deno.DatagramConn;
  readonly #serving: Promise<unknown>;
  #unit: Unit | undefined;
  #isWanted = false;

  constructor(folder: string, unitFile: string) {
    this.#folder = folder;
    this.#unitFile = unitFile;
    this.bin = `${folder}/bin`;
    Deno.mkdirSync(this.bin, { recursive: true });
    for (const name of ["systemctl", "loginctl", "journalctl"]) {
      const script =
        `#!/bin/sh\nexec "${Deno.execPath()}" run -A --no-check "${CALL}" "${folder}/calls" ${name} "$@"\n`;
      Deno.writeTextFileSync(`${this.bin}/${name}`, script, { mode: 0o755 });
    }
    this.#listener = Deno.listen({ transport: "unix", path: `${folder}/calls` });
    this.#notify = Deno.listenDatagram({ transport: "unixpacket", path: `${folder}/notify` });
    this.#serving = Promise.all([this.#serve(), this.#listen()]);
  }

  /** The main process of the last start. */
  get main(): RunningProgram {
    return this.starts.at(-1) ?? fail("Nothing was started");
  }

  /** How many messages of this kind were heard. */
  count(message: string): number {
    return this.heard.filter((each) => each.split("\n").includes(message)).length;
  }

  /** Resolves once the message was heard so often. */
  async hears(message: string, count: number): Promise<void> {
    const deadline = performance.now() + 120_000;
    while (this.count(message) < count) {
      if (performance.now() > deadline) fail(`${count} times ${message} not heard: ${this.heard}\n${this.main.output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** SIGTERM to the main process alone, and a new start once that has ended. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    if (this.starts.length > 0 && !this.main.hasEnded) await this.main.end("SIGTERM");
  }

  async start(): Promise<void> {
    const { command, environment, settings } = this.#unit ?? fail("No unit was read");
    const watchdogUsec = Number(settings.get("WatchdogSec")![0]) * 1_000_000;
    // systemd passes the main process its own pid.
    const line = ["/bin/sh", "-c", 'WATCHDOG_PID=$$ exec "$@"', "sh", ...command];
    const ready = this.count("READY=1") + 1;
    const env = { ...environment, NOTIFY_SOCKET: `${this.#folder}/notify`, WATCHDOG_USEC: String(watchdogUsec) };
    const cwd = settings.get("WorkingDirectory")![0]!.replace(/^-/, "");
    const main = new RunningProgram(["/usr/bin/env", "-i", ...Object.entries(env).map(pair), ...line], { cwd });
    this.starts.push(main);
    this.#isWanted = true;
    main.child.status.then(({ success }) => {
      if (this.#isWanted && !success && this.main === main) void this.start();
    });
    await this.hears("READY=1", ready);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#listener.close();
    this.#notify.close();
    await this.#serving;
  }

  async #listen(): Promise<void> {
    for await (const [datagram] of this.#notify) this.heard.push(new TextDecoder().decode(datagram));
  }

  async #serve(): Promise<void> {
    for await (const connection of this.#listener) {
      const bytes = new Uint8Array(16_384);
      const call: string[] = JSON.parse(new TextDecoder().decode(bytes.subarray(0, (await connection.read(bytes))!)));
      this.calls.push(call.join(" "));
      const answer = await this.#answer(call).then((stdout) => ({ code: 0, stdout }), (error) => ({
        code: 1,
        stdout: String(error),
      }));
      await connection.write(new TextEncoder().encode(JSON.stringify(answer)));
      connection.close();
    }
  }

  async #answer([program, ...args]: string[]): Promise<string> {
    if (program === "loginctl") return "no\n";
    if (program === "journalctl") return this.starts.map(({ output }) => output).join("");
    switch (args.find((each) => !each.startsWith("-"))) {
      case "daemon-reload":
        this.#unit = await Deno.readTextFile(this.#unitFile).then(readUnit, () => undefined);
        return "";
      case "restart":
        await this.restart();
        return "";
      case "disable":
        await this.stop();
        return "";
      case "show": {
        const isActive = this.#isWanted && !this.main.hasEnded;
        const state = isActive ? "ActiveState=active\nSubState=running" : "ActiveState=inactive\nSubState=dead";
        return `${state}\nMainPID=${isActive ? this.main.pid : 0}\nNRestarts=0\n`;
      }
      default:
        return "";
    }
  }
}

function pair([name, value]: [string, string]): string {
  return `${name}=${value}`;
}
