import type { EpochMs } from "../../base/epoch_ms.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { modifiedAt, namesIn, readJson, readText, replaceFile, sizeOf } from "./disk.ts";
import { bootId, parseIdentity, type ProcessIdentity } from "../process/identity.ts";

/**
 * How one run of a container ended. `reason` and `message` are Kubernetes' (`Completed`, `Error`, `StartError`, …).
 */
export interface Outcome {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string | undefined;
  /** Absent where the command never ran. */
  readonly startedAt?: EpochMs | undefined;
  readonly finishedAt: EpochMs;
}

/** The state of a run by its files. */
export type RunState =
  /** Decided and not claimed: a shim may still be on its way. */
  | { readonly kind: "intended" }
  /** A shim was there and left nothing readable: it ended before it started the command. */
  | { readonly kind: "claimed" }
  /** Abandoned before any shim claimed it: the command has not run and never will. */
  | { readonly kind: "void" }
  | { readonly kind: "started"; readonly identity: ProcessIdentity; readonly startedAt: EpochMs }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/** A runtime of containers, as the command line names it. */
export type RuntimeName = "process" | "podman" | "docker";

/** Written before a process is started; the lock that keeps a run from happening twice. */
export interface Intent {
  /** Distinguishes attempts at the same run, of which one at most was not abandoned. */
  readonly attempt: string;
  readonly bootId: string;
  /** How long the next run has to wait after this one. */
  readonly backOffMs: number;
  readonly startedAt: EpochMs;
  /** @default {"process"} */
  readonly runtime?: RuntimeName;
  /** The socket of the engine that has the container; absent where each life of the program has another. */
  readonly endpoint?: string | undefined;
}

const logger = loggerFor("kubelet");

const VOID = "void\n";

/** Stands for an intent whose file cannot be read, as a power failure may empty it. */
const UNREADABLE: Intent = { attempt: "unknown", bootId: "", backOffMs: 0, startedAt: 0 };

/** The outcome of a run whose end no file records. */
export const UNKNOWN_STATUS = {
  exitCode: 137,
  reason: "ContainerStatusUnknown",
  message: "The process was gone, and nothing says how it ended",
} as const;

/**
 * The files of one run of one container, all beside its log, in `<pod directory>/<container>/`:
 *
 * | file | written by | says |
 * |---|---|---|
 * | `<n>.intent` | us, before the process is started | that it is to run |
 * | `<n>.<attempt>.pid` | the shim, or us to give the attempt up | which process it is |
 * | `<n>.log` | the process | its output |
 * | `<n>.cut` | us | where what is kept of its output begins |
 * | `<n>.times` | us | when which part of the output was there |
 * | `<n>.exit` | the shim | its exit status |
 * | `<n>.outcome` | us | how it ended, where the shim could not say |
 * | `<n>.message` | the process | its termination message |
 * | `<n>.launched` | us, before an engine is asked to start the container | that it may have run |
 * | `<n>.work/` | the process | its working directory, unless it names one |
 */
export class RunFiles {
  readonly log: string;
  readonly cut: string;
  readonly times: string;
  readonly exit: string;
  readonly message: string;
  readonly work: string;
  readonly launched: string;

  constructor(readonly directory: string, readonly restartCount: number) {
    this.log = this.#path("log");
    this.cut = this.#path("cut");
    this.times = this.#path("times");
    this.exit = this.#path("exit");
    this.message = this.#path("message");
    this.work = this.#path("work");
    this.launched = this.#path("launched");
  }

  /** `cri`: as Kubernetes' own runtimes and podman write it, with a time before each line. */
  get logFormat(): "plain" | "cri" {
    return this.readIntent()?.runtime === "podman" ? "cri" : "plain";
  }

  /** Makes the file of the termination message, which a container's process writes, as whatever user it runs. */
  makeMessage(): void {
    Deno.writeTextFileSync(this.message, "");
    Deno.chmodSync(this.message, 0o666);
  }

  /** Whether an engine was asked to start the container, which may have been at work then. */
  get wasLaunched(): boolean {
    return sizeOf(this.launched) !== undefined;
  }

  /** Returns the path of the `.pid` file by which an attempt at this run is claimed. */
  claim(attempt: string): string {
    return this.#path(`${attempt}.pid`);
  }

  /** Replaces what is there at once: a reader sees the old or the new, never a part. */
  writeIntent(intent: Intent): void {
    replaceFile(this.#path("intent"), JSON.stringify(intent));
  }

  readIntent(): Intent | undefined {
    return readJson<Intent>(this.#path("intent"), () => UNREADABLE);
  }

  /** Says how the run ended, unless the shim did or does. */
  writeOutcome(outcome: Outcome): void {
    replaceFile(this.#path("outcome"), JSON.stringify(outcome));
  }

  /** Writes down that the run ended before it could start. */
  refuse(outcome: Outcome, intent: Pick<Intent, "backOffMs" | "runtime">): void {
    this.writeIntent({ ...intent, attempt: "none", bootId: bootId(), startedAt: outcome.finishedAt });
    this.writeOutcome(outcome);
  }

  /** Gives an attempt up, by claiming it before its shim can. @returns false if the shim was first */
  giveUp(attempt: string): boolean {
    try {
      Deno.writeTextFileSync(this.claim(attempt), VOID, { createNew: true, mode: 0o600 });
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      throw error;
    }
  }

  /** Reads the state on disk; undefined if this run was never decided on. */
  read(): RunState | undefined {
    const intent = this.readIntent();
    const outcome = this.#readOutcome();
    if (!intent) return outcome && { kind: "ended", outcome };
    const claimed = readText(this.claim(intent.attempt));
    const startedAt = claimed === undefined ? undefined : intent.startedAt;
    const exitCode = this.#readExit();
    if (exitCode !== undefined) {
      return {
        kind: "ended",
        outcome: {
          exitCode,
          reason: exitCode === 0 ? "Completed" : "Error",
          ...outcome && outcome.exitCode === exitCode ? { reason: outcome.reason, message: outcome.message } : {},
          startedAt,
          finishedAt: modifiedAt(this.exit) ?? 0,
        },
      };
    }
    if (outcome) return { kind: "ended", outcome: { startedAt, ...outcome } };
    if (intent === UNREADABLE) return { kind: "ended", outcome: this.#unknown("intent") };
    if (claimed === undefined) return { kind: "intended" };
    if (claimed === VOID) return { kind: "void" };
    const identity = parseIdentity(claimed);
    return identity ? { kind: "started", identity, startedAt: intent.startedAt } : { kind: "claimed" };
  }

  #readExit(): number | undefined {
    const match = /^(\d+)\n/.exec(readText(this.exit) ?? "");
    return match ? Number(match[1]) : undefined;
  }

  #readOutcome(): Outcome | undefined {
    return readJson<Outcome>(this.#path("outcome"), () => this.#unknown("outcome"));
  }

  /** Ends a run whose file cannot be read: it may have run, so it must not run again. */
  #unknown(ending: string): Outcome {
    return { ...UNKNOWN_STATUS, finishedAt: modifiedAt(this.#path(ending)) ?? 0 };
  }

  /** Removes everything of this run. */
  remove(): void {
    const prefix = `${this.restartCount}.`;
    for (const { name } of Deno.readDirSync(this.directory)) {
      if (name.startsWith(prefix)) Deno.removeSync(`${this.directory}/${name}`, { recursive: true });
    }
  }

  #path(ending: string): string {
    return `${this.directory}/${this.restartCount}.${ending}`;
  }
}

/** Records the outcome of a run. On a full disk only the Pod's status has it, which a failure here must not prevent. */
export function keepOutcome(files: RunFiles, outcome: Outcome): Outcome {
  try {
    files.writeOutcome(outcome);
  } catch (error) {
    logger.error("Cannot write down how a container ended: {error}", { error, file: files.directory });
  }
  return outcome;
}

/** Returns the restart counts of which a container's directory holds anything, in rising order. */
export function runsIn(directory: string): number[] {
  const counts = namesIn(directory).flatMap((name) => /^(\d+)\.(?:intent|outcome)$/.exec(name)?.[1] ?? []);
  return [...new Set(counts.map(Number))].sort((a, b) => a - b);
}
