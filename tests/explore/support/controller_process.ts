import { holdMsOf } from "../../../src/cronjob/decision/name_hold.ts";
import { NameKeeper } from "../../../src/cronjob/name_keeper.ts";
import { followChildren } from "../../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../../src/cronjob/controller.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import { Group } from "../../../src/runtime/group.ts";
import { LeaderElection } from "../../../src/runtime/leader_election.ts";
import { Manager } from "../../../src/runtime/manager.ts";
import { OpenWrites } from "../../../src/runtime/open_writes.ts";
import { digestOf } from "./digest.ts";
import type { Guard } from "./process_client.ts";
import type { ProcessClock } from "./virtual_time.ts";

/** As by default, but that the leader renews half as often: a run has fewer steps so. */
export const LEASE = {
  namespace: "default",
  name: "lease",
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 5_000,
  releaseMs: 2_000,
};

/** One `controller` process: leader election, the caches and the controller, put together as the program does. */
export class ControllerProcess {
  readonly name: string;
  readonly #clock: ProcessClock;
  /** Distinguishes everything that it has seen from all else that it could have seen: its memory follows from that. */
  #seen = 0;

  constructor(
    { name, clock, connect, flavour, holdMs = holdMsOf(LEASE), onEnd }: {
      name: string;
      clock: ProcessClock;
      connect: (guard?: Guard) => KubeClient;
      flavour: Flavour;
      holdMs: number | undefined;
      onEnd: () => void;
    },
  ) {
    this.name = name;
    this.#clock = clock;
    const writes = new OpenWrites(clock);
    const election = new LeaderElection({
      client: connect(),
      clock,
      identity: name,
      ...LEASE,
      random: () => 0.5,
      mayRelease: () => writes.areOver,
    });
    const guarded = connect(() => {
      election.guard();
      return writes.begin();
    });
    const jobs = followChildren({ client: guarded, clock, flavours: [flavour] });
    const recorder = { record() {} };
    const group = new Group(clock);
    const neverTwice = { byDefault: false };
    const options = { client: guarded, clock, flavour, jobs, recorder, leading: election, neverTwice };
    const controller = new CronJobController(options);
    group.add(controller);
    const keeping = { client: guarded, clock, jobs, leading: election };
    group.add(new NameKeeper({ ...keeping, controllers: [controller], holdMs }));
    const manager = new Manager({ clock });
    manager.add({ name: election.name, run: (signal) => election.run(signal) }).add(group);
    manager.run(new AbortController().signal).then(onEnd, onEnd);
  }

  get digest(): number {
    return this.#seen;
  }

  see(what: string): void {
    this.#seen = digestOf(`${what} ${this.#clock.monotonic()}`, this.#seen);
  }

  kill(): void {
    this.#clock.isStopped = true;
  }
}
