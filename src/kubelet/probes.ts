import type { Container, Probe } from "kubernetes-types/core/v1";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { Health } from "./decide.ts";
import type { ExecResult } from "./exec_command.ts";

/** The result of one probe. An error says nothing of the container. */
export interface ProbeResult {
  readonly kind: "success" | "failure" | "error";
  readonly said: string;
}

export interface ProbesOptions {
  readonly clock: Clock;
  /** Runs a command in the container. */
  readonly exec: (command: readonly string[], timeoutMs: number) => Promise<ExecResult>;
  /** Whether an earlier life of the program has seen the container started. */
  readonly wasStarted: boolean;
  /** Called when the health changes, and once at the beginning. */
  readonly onHealth: (health: Health) => void;
  /** Called for each command that was no success. */
  readonly onTrouble: (probe: ProbeName, result: ProbeResult) => void;
  /** Called once, when a probe says that the container must not go on. */
  readonly onDead: (probe: ProbeName, graceSeconds: number | undefined) => void;
}

export type ProbeName = "Startup" | "Readiness" | "Liveness";

/** Kubernetes' defaults. */
const DEFAULTS = { periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 } as const;

/** Returns the probes of a container that are carried out: those by `exec`. */
function usableProbes({ startupProbe, readinessProbe, livenessProbe }: Container) {
  return [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.exec && probe);
}

/** Returns whether any probe of a container is carried out. */
export function hasUsableProbe(container: Container): boolean {
  return usableProbes(container).some((probe) => probe);
}

/** Looks after a container by its probes, as the kubelet does. Those that are not carried out are left out. */
export class Probes implements Disposable {
  readonly #options: ProbesOptions;
  readonly #stop = new AbortController();
  #health: Health;

  constructor(container: Container, options: ProbesOptions) {
    this.#options = options;
    const [startup, readiness, liveness] = usableProbes(container);
    const started = options.wasStarted || !startup;
    this.#health = { started, ready: started && !readiness };
    this.#begin(startup, readiness, liveness);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #begin(startup?: Probe, readiness?: Probe, liveness?: Probe): Promise<void> {
    const mustLive = (name: ProbeName, probe: Probe) => (succeeded: boolean) => {
      if (!succeeded) this.#die(name, probe);
      return name === "Liveness" && succeeded;
    };
    this.#options.onHealth(this.#health);
    if (startup && !this.#health.started) {
      await this.#look("Startup", startup, mustLive("Startup", startup));
      if (this.#stop.signal.aborted) return;
      this.#update({ started: true, ready: !readiness });
    }
    if (liveness) this.#look("Liveness", liveness, mustLive("Liveness", liveness));
    if (!readiness) return;
    await this.#look("Readiness", readiness, (ready) => {
      this.#update({ ready });
      return true;
    });
  }

  /** Calls `judge` whenever as many looks in a row have the same result as its threshold says. `judge` returns whether to go on. */
  async #look(name: ProbeName, probe: Probe, judge: (succeeded: boolean) => boolean): Promise<void> {
    const { clock, onTrouble } = this.#options;
    const { signal } = this.#stop;
    const { periodSeconds, successThreshold, failureThreshold } = { ...DEFAULTS, ...probe };
    const sleep = (seconds: number) => clock.sleep(seconds * 1000, signal).catch(() => {/* disposed of */});
    let succeeded = false;
    let inARow = 0;
    for (let seconds = probe.initialDelaySeconds ?? 0;; seconds = periodSeconds) {
      await sleep(seconds);
      const result = signal.aborted ? undefined : await this.#once(probe);
      if (!result || signal.aborted) return;
      if (result.kind !== "success") onTrouble(name, result);
      if (result.kind === "error") continue;
      const succeeds = result.kind === "success";
      inARow = succeeded === succeeds ? inARow + 1 : 1;
      succeeded = succeeds;
      if (inARow >= (succeeded ? successThreshold : failureThreshold) && !judge(succeeded)) return;
    }
  }

  async #once({ exec, timeoutSeconds = DEFAULTS.timeoutSeconds }: Probe): Promise<ProbeResult> {
    try {
      const { code, output } = await this.#options.exec(exec!.command ?? [], timeoutSeconds * 1000);
      return { kind: code === 0 ? "success" : "failure", said: output };
    } catch (error) {
      return { kind: "error", said: messageOf(error) };
    }
  }

  #die(name: ProbeName, { terminationGracePeriodSeconds }: Probe): void {
    this.#stop.abort();
    this.#options.onDead(name, terminationGracePeriodSeconds);
  }

  #update(change: Partial<Health>): void {
    const { started, ready } = this.#health;
    this.#health = { started, ready, ...change };
    if (this.#health.started !== started || this.#health.ready !== ready) this.#options.onHealth(this.#health);
  }
}
