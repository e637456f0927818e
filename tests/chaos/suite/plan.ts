import { FAULT_KINDS, type FaultKind, type WorldName } from "./faults.ts";
import { Random, seedOf } from "./random.ts";

export interface PlannedEpisode {
  readonly kind: FaultKind;
  /** Which of its kind: with the seed it decides all choices. */
  readonly index: number;
}

export interface WorldPlan {
  readonly name: WorldName;
  readonly episodes: readonly PlannedEpisode[];
}

/** Episodes in one world: few enough that a fault in one leaves most others judged apart. */
const EPISODES_PER_WORLD = 7;

/**
 * So many rounds of every kind, or of one: each round in worlds of its own; or a `sample` of so many episodes of them. An
 * iterator, for several to take from.
 */
export function* plan(
  { only, episodes, seed, sample }: {
    seed: number;
    only?: string | undefined;
    episodes: number;
    sample?: number | undefined;
  },
): Generator<WorldPlan> {
  const kinds = only === undefined ? FAULT_KINDS : FAULT_KINDS.filter(({ name }) => name === only);
  if (kinds.length === 0) {
    throw new Error(`No fault is called ${only}: ${FAULT_KINDS.map(({ name }) => name).join(", ")}`);
  }
  if (sample !== undefined) {
    const random = new Random(seedOf(seed, "sample"));
    const drawn = Array.from(
      { length: sample },
      () => ({ kind: random.of(kinds), index: random.whole(0, episodes - 1) }),
    );
    for (const [name, those] of Map.groupBy(drawn, ({ kind }) => kind.world)) {
      for (let from = 0; from < those.length; from += EPISODES_PER_WORLD) {
        yield { name, episodes: those.slice(from, from + EPISODES_PER_WORLD) };
      }
    }
    return;
  }
  for (let index = 0; index < episodes; index++) {
    for (const [name, those] of Map.groupBy(kinds, ({ world }) => world)) {
      const count = Math.ceil(those.length / EPISODES_PER_WORLD);
      for (let part = 0; part < count; part++) {
        yield { name, episodes: those.filter((_, i) => i % count === part).map((kind) => ({ kind, index })) };
      }
    }
  }
}
