import { badRequest } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";

/** Returns the container that a log or a session is of. Registry core/pod `LogLocation`, `streamLocation`. */
export function chosenContainer({ metadata, spec }: Json, wanted: string | undefined): string {
  const names = (containers: Json[] = []) => containers.map(({ name }: Json) => name);
  const [first, ...others] = names(spec.containers);
  const inits = names(spec.initContainers);
  if (wanted !== undefined) {
    if ([first, ...others, ...inits].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
  }
  if (!others.length && !inits.length) return first;
  const choice = `choose one of: [${[first, ...others].join(" ")}]` +
    (inits.length ? ` or one of the init containers: [${inits.join(" ")}]` : "");
  throw badRequest(`a container name must be specified for pod ${metadata.name}, ${choice}`);
}
