import { formatTime } from "../../../../src/base/epoch_ms.ts";
import type { World } from "./world.ts";

/** Says of a world what a reader of a failure has to know. */
export function describe({ flavour, picks: _, incidents, createdAt, asksAt, ...rest }: World): string {
  const [created, asked] = [createdAt, asksAt].map(formatTime);
  const happened = incidents.map(({ at, ...incident }) => `\n  ${formatTime(at)} ${JSON.stringify(incident)}`);
  const { group } = flavour.resource;
  return `${group} of ${created}, asked about at ${asked}: ${JSON.stringify(rest)}${happened.join("")}`;
}

/** Worlds with a thing less: an incident, a field or an annotation. */
export function* smaller(world: World): Generator<World> {
  const without = <T>(record: Readonly<Record<string, T>>, name: string) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
  for (const one of world.incidents) yield { ...world, incidents: world.incidents.filter((other) => other !== one) };
  for (const name in world.annotations) yield { ...world, annotations: without(world.annotations, name) };
  const { schedule: _, ...spec } = world.spec;
  for (const name in spec) yield { ...world, spec: without(world.spec as Record<string, never>, name) };
  if (world.failsEvery > 0) yield { ...world, failsEvery: 0 };
}
