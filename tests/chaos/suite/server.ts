import { backupDatabase, restoreDatabase } from "../../../src/apiserver/storage/backup.ts";
import { type Address, ApiServerProcess } from "../../support/api_server_process.ts";
import type { AuditEvent } from "../../support/audit.ts";
import { runToEnd } from "../../support/run_to_end.ts";
import { pause } from "./api.ts";
import { ownPort } from "../../support/own_port.ts";

const DISK_MB = 256;

/** An API server that is killed, stopped and restored, always on the same port, and on a disk that can be filled. */
export class ServerUnderFault implements AsyncDisposable {
  readonly #folder: string;
  readonly #hasDisk: boolean;
  readonly #port = ownPort();
  #process!: ApiServerProcess;
  /** What is under way with the process. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(folder: string, hasDisk: boolean) {
    this.#folder = folder;
    this.#hasDisk = hasDisk;
  }

  static async start(folder: string): Promise<ServerUnderFault> {
    const disk = `${folder}/disk`;
    await Deno.mkdir(disk);
    const mount = ["mount", "-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", disk];
    const hasDisk = Deno.uid() === 0 && (await runToEnd(mount)).code === 0;
    const server = new ServerUnderFault(folder, hasDisk);
    await server.#start();
    return server;
  }

  get address(): Address {
    return this.#process.address;
  }

  /** SIGKILL, and a start some time later. */
  kill(): Promise<void> {
    return this.#one(async () => {
      await this.#process.kill();
      await pause(300);
      await this.#start();
    });
  }

  pause(forMs: number): Promise<void> {
    return this.#one(async () => {
      Deno.kill(this.#process.pid, "SIGSTOP");
      await pause(forMs);
      Deno.kill(this.#process.pid, "SIGCONT");
    });
  }

  backUp(): Promise<void> {
    return this.#one(() => backupDatabase(this.#dataDir, this.#backup));
  }

  /** Goes back to the backup. */
  restore(): Promise<void> {
    return this.#one(async () => {
      await this.#process.kill();
      restoreDatabase(this.#dataDir, this.#backup);
      await this.#start();
    });
  }

  /** Leaves no room on the disk. */
  async fillDisk(): Promise<void> {
    if (!this.#hasDisk) throw new Error("Cannot fill a disk: only root can mount one for the API server");
    using file = await Deno.open(this.#ballast, { write: true, create: true });
    const block = new Uint8Array(65_536);
    try {
      for (;;) await file.write(block);
    } catch {
      // It is full.
    }
  }

  async freeDisk(): Promise<void> {
    await Deno.remove(this.#ballast).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    await this.#process.kill();
    if (this.#hasDisk) await runToEnd(["umount", `${this.#folder}/disk`]);
  }

  /** All that it was asked for. */
  async audited(): Promise<AuditEvent[]> {
    return parsedLines(await Deno.readTextFile(this.#auditLog));
  }

  get #dataDir(): string {
    return `${this.#folder}/disk/data`;
  }

  get #ballast(): string {
    return `${this.#folder}/disk/ballast`;
  }

  get #auditLog(): string {
    return `${this.#folder}/audit.jsonl`;
  }

  get #backup(): string {
    return `${this.#folder}/backup`;
  }

  async #start(): Promise<void> {
    const options = { dataDir: this.#dataDir, port: this.#port, auditLogPath: this.#auditLog };
    this.#process = await ApiServerProcess.start(options);
  }

  #one(act: () => Promise<void>): Promise<void> {
    return this.#turn = this.#turn.then(act);
  }
}

/** A line that a kill cut off is left out. */
function parsedLines(text: string): AuditEvent[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
