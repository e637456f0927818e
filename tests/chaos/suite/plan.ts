import { FAULT_KINDS, type FaultKind, type WorldName } from "./faults.ts";

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

/** So many rounds of every kind, or of one: each round in worlds of its own. An iterator, for several to take from. */
export function* plan(
  { only, episodes }: { seed: number; only?: string; episodes: number },
): Generator<WorldPlan> {
  const kinds = only === undefined ? FAULT_KINDS : FAULT_KINDS.filter(({ name }) => name === only);
  if (kinds.length === 0) {
    throw new Error(`No fault is called ${only}: ${FAULT_KINDS.map(({ name }) => name).join(", ")}`);
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
