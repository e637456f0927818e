import { useNow } from "../model/clock.ts";
import { headlines, link, rows } from "../model/live_rows.ts";
import { VIEWERS_ZONE } from "../model/times.ts";
import { distanceOf } from "../../../view/times.ts";
import { wallOf } from "../../../schedule/full_time.ts";
import { useValue } from "../model/value.ts";
import { Button } from "./elements.tsx";

/** Shows the headlines, and why the rows may be old; where there are no rows, the view itself says why. */
export function LinkBanner() {
  const state = useValue(link);
  const isEmpty = useValue(rows).size === 0;
  const lines = useValue(headlines);
  const offline = !isEmpty && state.kind === "offline" && state;
  return (
    <aside aria-label="State of the page">
      <div role="status">
        {lines.map((line) => (
          <p class="banner">
            <b dir="auto">{line}</b>
          </p>
        ))}
        {!isEmpty && state.kind === "trouble" && (
          <p class="banner">
            <b>What is shown may be old.</b> <bdi>{state.message}</bdi>
          </p>
        )}
        {state.kind === "upgraded" && (
          <p class="banner">
            <b>The program was upgraded:</b> <Button class="small" onClick={() => location.reload()}>Reload</Button>
          </p>
        )}
      </div>
      <p class={offline ? "banner" : ""}>
        <span role="status">
          {offline && (
            <>
              <b>Offline since {wallOf(offline.since, VIEWERS_ZONE).clock.slice(0, 5)}.</b> What is shown is from then.
            </>
          )}
        </span>
        {offline && <Retry at={offline.retryAt} />}
      </p>
    </aside>
  );
}

/** Stands outside the status: a screen reader would read all of that out at each second. */
function Retry({ at }: { at: number }) {
  const now = useNow();
  return <>{" "}{at > now ? `Trying again in ${distanceOf(now, at)}.` : "Trying again…"}</>;
}
