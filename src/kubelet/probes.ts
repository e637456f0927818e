import type { Container, Probe } from "kubernetes-types/core/v1";
import { after, type Clock } from "../base/clock.ts";
import { Stage } from "../base/abort.ts";
import type { Health } from "./decide.ts";
import { isUsable, look, type ProbeMeans, type ProbeResult } from "./probe_checks.ts";

export interface ProbesOptions {
  readonly clock: Clock;
  readonly means: ProbeMeans;
  /** Whether an earlier life of the program has seen it started. */
  readonly wasStarted: boolean;
  /** Called when it changes, and once at the beginning. */
  readonly onHealth: (health: Health) => void;
  /** Called for each look that was no success. */
  readonly onTrouble: (probe: ProbeName, result: ProbeResult) => void;
  /** Called once, when a probe says that the container must not go on. */
  readonly onDead: (probe: ProbeName, graceSeconds: number | undefined) => void;
}

export type ProbeName = "Startup" | "Readiness" | "Liveness";

/** Kubernetes' own. */
const DEFAULTS = { periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 } as const;

/** Returns whether any probe of a container can be carried out. */
export function hasUsableProbe({ startupProbe, readinessProbe, livenessProbe }: Container, means: ProbeMeans): boolean {
  return [startupProbe, readinessProbe, livenessProbe].some((probe) => isUsable(probe, means.host));
}

/** Looks after a container by its probes, as the kubelet does. Those that cannot be carried out are left out. */
export class Probes implements Disposable {
  readonly #container: Container;
  readonly #options: ProbesOptions;
  readonly #stop = new AbortController();
  #health: Health;

  constructor(container: Container, options: ProbesOptions) {
    this.#container = container;
    this.#options = options;
    const [startup, readiness, liveness] = [container.startupProbe, container.readinessProbe, container.livenessProbe]
      .map((probe) => isUsable(probe, options.means.host) ? probe : undefined);
    this.#health = { started: options.wasStarted || !startup, ready: false };
    if (this.#health.started && !readiness) this.#health = { started: true, ready: true };
    this.#begin(startup, readiness, liveness);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #begin(startup?: Probe, readiness?: Probe, liveness?: Probe): Promise<void> {
    this.#options.onHealth(this.#health);
    if (startup && !this.#health.started) {
      const started = Promise.withResolvers<void>();
      this.#look("Startup", startup, (succeeded) => {
        if (succeeded) started.resolve();
        else this.#die("Startup", startup);
        return "stop";
      });
      await started.promise;
      this.#update({ started: true, ready: !readiness });
    }
    if (readiness) {
      this.#look("Readiness", readiness, (ready) => {
        this.#update({ ready });
        return "go on";
      });
    }
    if (liveness) {
      this.#look("Liveness", liveness, (succeeded) => {
        if (succeeded) return "go on";
        this.#die("Liveness", liveness);
        return "stop";
      });
    }
  }

  /** Calls `judge` whenever as many looks in a row as it takes have come to the same. */
  async #look(name: ProbeName, probe: Probe, judge: (succeeded: boolean) => "go on" | "stop"): Promise<void> {
    const { clock, onTrouble } = this.#options;
    const { signal } = this.#stop;
    const { periodSeconds, timeoutSeconds, successThreshold, failureThreshold } = { ...DEFAULTS, ...probe };
    let succeeded = false;
    let inARow = 0;
    try {
      await clock.sleep((probe.initialDelaySeconds ?? 0) * 1000, signal);
      for (;;) {
        const result = await this.#once(probe, timeoutSeconds * 1000);
        if (signal.aborted) return;
        if (result.kind !== "success") onTrouble(name, result);
        if (result.kind !== "error") {
          const succeeds = result.kind === "success";
          inARow = succeeded === succeeds ? inARow + 1 : 1;
          succeeded = succeeds;
          if (inARow >= (succeeded ? successThreshold : failureThreshold) && judge(succeeded) === "stop") return;
        }
        await clock.sleep(periodSeconds * 1000, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #once(probe: Probe, timeoutMs: number): Promise<ProbeResult> {
    const { clock, means } = this.#options;
    using time = new Stage(this.#stop.signal);
    using _timer = after(clock, timeoutMs, () => time.abort());
    return await look({ container: this.#container, probe, means, timeoutMs, signal: time.signal });
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
