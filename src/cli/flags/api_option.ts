import { InvalidArgumentError } from "commander";
import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { option } from "./options.ts";

const KNOWN = FLAVOURS.map(({ apiVersion }) => apiVersion);

/** `--api`, each API once; `otherwise` says in words whose CronJobs are meant where it is not given. */
export function apiOption({ otherwise }: { otherwise: string }) {
  const description = `whose CronJobs: ${KNOWN.join(", ")}; none given: ${otherwise} (repeatable)`;
  return option("--api <apiVersion>", description).parsedBy<readonly Flavour[]>((text, previous = []) => {
    const named = text.split(",");
    if (!named.every((name) => KNOWN.includes(name))) {
      throw new InvalidArgumentError(`must be one of ${KNOWN.join(", ")}.`);
    }
    return FLAVOURS.filter((flavour) => previous.includes(flavour) || named.includes(flavour.apiVersion));
  }).byDefault([], "none");
}
