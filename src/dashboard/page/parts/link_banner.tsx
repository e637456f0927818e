import { useNow } from "../model/clock.ts";
import { headlines, link, rows } from "../model/live_rows.ts";
import { VIEWERS_ZONE } from "../model/times.ts";
import { distanceOf } from "../../../view/times.ts";
import { wallOf } from "../../../schedule/full_time.ts";
import { useValue } from "../model/value.ts";

/** Says that what is shown may be old; where there is nothing to show, the view says so itself. */
export function LinkBanner() {
  const state = useValue(link);
  const isEmpty = useValue(rows).size === 0;
  const lines = useValue(headlines);
  return (
    <div role="status">
      {lines.map((line) => (
        <p class="banner">
          <b dir="auto">{line}</b>
        </p>
      ))}
      {!isEmpty && (state.kind === "offline" || state.kind === "trouble") &&
        (
          <p class="banner">
            <Why />
          </p>
        )}
    </div>
  );
}

function Why() {
  const state = useValue(link);
  const now = useNow();
  if (state.kind === "trouble") {
    return (
      <>
        <b>What is shown may be old.</b> <bdi>{state.message}</bdi>
      </>
    );
  }
  if (state.kind !== "offline") return null;
  const { since, retryAt } = state;
  return (
    <>
      <b>Offline since {wallOf(since, VIEWERS_ZONE).clock.slice(0, 5)}.</b> What is shown is from then.{" "}
      {retryAt > now ? `Trying again in ${distanceOf(now, retryAt)}.` : "Trying again…"}
    </>
  );
}
