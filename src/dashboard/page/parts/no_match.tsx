import { STATES } from "../../../view/cron_job_view.ts";
import { address, fragmentOf } from "../model/address.ts";
import { filterOf } from "../model/filter.ts";
import { useValue } from "../model/value.ts";
import { Blank } from "./elements.tsx";

/** The page of a search that finds no CronJob. */
export function NoMatch() {
  const place = useValue(address);
  const { unknown } = filterOf(place.params.q ?? "");
  return (
    <Blank icon="search" title="No CronJob matches">
      {unknown.length > 0 && (
        <p>
          No state is called <bdi>{unknown.join(", ")}</bdi>. There are {STATES.join(", ")}.
        </p>
      )}
      <p>
        <a href={fragmentOf({ ...place, params: {} })}>Show all</a>
      </p>
    </Blank>
  );
}
