import { eventually, PROGRAM, RunningProgram } from "./program.ts";

/** Quick enough for many hand-overs, on a machine that does nothing else. */
export const SHORT_LEASE = [
  "--leader-elect-lease-duration=4s",
  "--leader-elect-renew-deadline=3s",
  "--leader-elect-retry-period=500ms",
] as const;

/** Long enough for a machine that runs other tests at the same time. */
export const PATIENT_LEASE = [
  "--leader-elect-lease-duration=10s",
  "--leader-elect-renew-deadline=8s",
  "--leader-elect-retry-period=500ms",
] as const;

interface ReplicaOptions {
  readonly kubeconfig: string;
  /** Of the CronJobs, and of the Lease. */
  readonly namespace: string;
  readonly args?: readonly string[];
}

/** One of several `controller` processes that compete for a Lease, with its endpoints on free ports. */
export class Replica {
  readonly program: RunningProgram;

  constructor({ kubeconfig, namespace, args = [] }: ReplicaOptions) {
    const command = [...PROGRAM, "controller", "--kubeconfig", kubeconfig, "--namespace", namespace, "--leader-elect"];
    command.push("--leader-election-namespace", namespace, "--metrics-bind-address", "127.0.0.1:0");
    this.program = new RunningProgram([...command, "--health-probe-bind-address", "127.0.0.1:0", ...args]);
  }

  /** Waits until its caches are filled, while another one leads. */
  async standsBy(): Promise<void> {
    let said = "";
    const standsBy = async () => {
      const { status, text } = await this.program.ask("health", "/readyz?verbose");
      said = text;
      return status === 200 && /leader-election ok: standing by, \S+ leads/.test(text);
    };
    try {
      await eventually("it stands by with warm caches", standsBy);
    } catch (error) {
      throw new Error(`It does not stand by: ${said}\n${this.program.output}`, { cause: error });
    }
  }
}
