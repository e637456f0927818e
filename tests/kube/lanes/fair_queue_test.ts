import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { FairQueue, Share } from "../../../src/kube/lanes/fair_queue.ts";
import type { Linked } from "../../../src/kube/lanes/linked_list.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

interface Waiter extends Linked<Waiter> {
  readonly name: string;
}

/** The same by looking at everything each time. */
class Model {
  #turn = 0;
  readonly shares = new Map<string, { inFlight: number; waiting: string[]; since: number }>();

  push(namespace: string, name: string): void {
    const share = this.#share(namespace);
    share.waiting.push(name);
    if (share.waiting.length === 1) share.since = this.#turn++;
  }

  shift(): string | undefined {
    const [next] = [...this.shares.values()]
      .filter(({ waiting }) => waiting.length > 0)
      .toSorted((a, b) => a.inFlight - b.inFlight || a.since - b.since);
    if (!next) return undefined;
    next.inFlight++;
    next.since = this.#turn++;
    return next.waiting.shift();
  }

  count(namespace: string, change: 1 | -1): void {
    const share = this.#share(namespace);
    share.inFlight += change;
    share.since = this.#turn++;
  }

  remove(namespace: string, index: number): string {
    return must(this.#share(namespace).waiting.splice(index, 1)[0]);
  }

  #share(namespace: string) {
    if (!this.shares.has(namespace)) this.shares.set(namespace, { inFlight: 0, waiting: [], since: 0 });
    return this.shares.get(namespace)!;
  }
}

test("FairQueue lets each namespace have its turn", () => {
  const queue = new FairQueue<Waiter>();
  const shares = { a: new Share<Waiter>(), b: new Share<Waiter>(), c: new Share<Waiter>() };
  const push = (namespace: keyof typeof shares, name: string) => queue.push(shares[namespace], { name });
  for (const name of ["a1", "a2", "a3"]) push("a", name);
  for (const name of ["b1", "b2"]) push("b", name);
  push("c", "c1");
  assertEquals(Array.from({ length: 6 }, () => queue.shift()!.name), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assertEquals(queue.shift(), undefined);
});

test("FairQueue prefers the namespace that has the fewest in flight", () => {
  const queue = new FairQueue<Waiter>();
  const [busy, idle] = [new Share<Waiter>(), new Share<Waiter>()];
  for (let i = 0; i < 3; i++) queue.count(busy, 1);
  queue.push(busy, { name: "busy" });
  for (let i = 0; i < 4; i++) queue.push(idle, { name: `idle ${i}` });
  assertEquals(Array.from({ length: 3 }, () => queue.shift()!.name), ["idle 0", "idle 1", "idle 2"]);
  queue.count(busy, -1);
  assertEquals([queue.shift()!.name, queue.shift()!.name], ["busy", "idle 3"]);
});

test("FairQueue chooses as a model does that looks at everything", () => {
  const namespace = fc.constantFrom("a", "b", "c", "d");
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("push" as const), namespace }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("shift" as const) }) },
    fc.record({ do: fc.constant("end" as const), namespace }),
    fc.record({ do: fc.constant("remove" as const), namespace, which: fc.nat(9) }),
    fc.record({ do: fc.constant("move" as const), namespace }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queues = [new FairQueue<Waiter>(), new FairQueue<Waiter>()];
      const models = [new Model(), new Model()];
      const shares = new Map(["a", "b", "c", "d"].map((name) => [name, { at: 0, share: new Share<Waiter>() }]));
      const waiters = new Map<string, Waiter>();
      for (const [index, step] of steps.entries()) {
        if (step.do === "shift") {
          for (const [at, queue] of queues.entries()) assertEquals(queue.shift()?.name, must(models[at]).shift());
          continue;
        }
        const entry = shares.get(step.namespace)!;
        const { at, share } = entry;
        const known = must(models[at]).shares.get(step.namespace);
        if (step.do === "push") {
          const waiter = { name: `${step.namespace}${index}` };
          waiters.set(waiter.name, waiter);
          must(queues[at]).push(share, waiter);
          must(models[at]).push(step.namespace, waiter.name);
        } else if (step.do === "end" && share.inFlight > 0) {
          must(queues[at]).count(share, -1);
          must(models[at]).count(step.namespace, -1);
        } else if (step.do === "remove" && known && known.waiting.length > 0) {
          const name = must(models[at]).remove(step.namespace, step.which % known.waiting.length);
          must(queues[at]).remove(share, waiters.get(name)!);
        } else if (step.do === "move" && known) {
          entry.at = 1 - at;
          must(queues[entry.at]).take(share, must(queues[at]));
          must(models[at]).shares.delete(step.namespace);
          for (const _ of Array(known.inFlight)) must(models[entry.at]).count(step.namespace, 1);
          for (const name of known.waiting) must(models[entry.at]).push(step.namespace, name);
        }
        for (const [at, { shares }] of models.entries()) {
          const sizes = [...shares.values()].map(({ waiting }) => waiting.length);
          assertEquals(must(queues[at]).size, sizes.reduce((sum, size) => sum + size, 0));
        }
      }
    }),
    { numRuns: 300 },
  );
});
