import type { Calendar as Known, Row } from "../../wire.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { wallOf } from "../../../schedule/full_time.ts";
import { setParams } from "../model/address.ts";
import { serverNow } from "../model/clock.ts";
import { daysOf, monthAfter, monthOf, spanOf, withEarlier } from "../model/month.ts";
import { useZone } from "../model/times.ts";
import { queryOf } from "../parts/answer.ts";
import { bringIntoView, Button, Panel } from "../parts/elements.tsx";
import { ZoneName } from "../parts/time_text.tsx";
import { read } from "../server.ts";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The outcomes of one CronJob's runs, day by day. @param days the month or the day whose runs are listed, or "" */
export function Calendar({ row, days }: { row: Row; days: string }) {
  const zone = useZone(row.zone);
  const today = wallOf(serverNow(), zone).date;
  const thisMonth = today.slice(0, 7);
  const shown = days.slice(0, 7) || thisMonth;
  const month = useMemo(() => monthOf(shown), [shown]);
  const { known, error } = useMonth(row, shown, { zone, isLive: shown >= thisMonth });
  const cells = useMemo(() => daysOf(month, known ?? NOTHING, zone), [month, known, zone]);
  const nothing = known ? "none" : "not read";
  const turn = (by: number) => setParams({ days: monthAfter(shown, by) });
  const choose = (date: string) => {
    setParams({ days: date });
    bringIntoView("runs");
  };
  const aside = (
    <>
      <ZoneName of={row.zone} />
      {!known && !error && <span class="quiet" role="status">Looking…</span>}
      <span class="line">
        <Button class="small" aria-label="Month before" onClick={() => turn(-1)}>‹</Button>
        <Button class="small" aria-label="Month after" disabled={shown >= thisMonth} onClick={() => turn(1)}>
          ›
        </Button>
      </span>
    </>
  );
  return (
    <Panel id="calendar" title={month.name} aside={aside}>
      <ol class="calendar num" aria-labelledby="calendar">
        {WEEKDAYS.map((day) => <li key={day} class="quiet fine" aria-hidden="true">{day}</li>)}
        {cells.map(({ date, worst, says, short, isKnown }, index) => (
          <li
            key={date}
            class={`day-cell ${worst ? `is-${worst}` : ""}${isKnown ? "" : " unknown"}`}
            style={index === 0 ? { gridColumn: month.before + 1 } : {}}
            title={`${date}: ${says || nothing}`}
          >
            <Button disabled={date > today} aria-pressed={date === days} onClick={() => choose(date)}>
              <span class="quiet">{Number(date.slice(8))}</span> <b aria-hidden="true">{short}</b>
              <span class="unseen">{says || nothing}</span>
            </Button>
          </li>
        ))}
      </ol>
      {error && (
        <p class="error" role="alert">
          It cannot be read: <bdi>{error.message}</bdi>
        </p>
      )}
    </Panel>
  );
}

const NOTHING: Known = { runs: [], planned: [], hasMore: false, gaps: [] };

/** A run of each minute for a month fits in. */
const MAX_RUNS = 60_000;

/** Its newest part is read again whenever its row has changed, while anything may happen in it; the others once. */
function useMonth(row: Row, month: string, { zone, isLive }: { zone: string; isLive: boolean }) {
  const [last, show] = useState<{ of?: string; known?: Known; error?: Error }>({});
  const of = `${month} ${zone}`;
  const shown = last.of === of ? last : {};
  useEffect(() => {
    const over = new AbortController();
    const { from, to } = spanOf(month, zone)!;
    const part = (to: number) =>
      read<Known>(`/api/calendar?${queryOf(row, { from: String(from), to: String(to) })}`, over.signal);
    const readOn = async () => {
      let known = withEarlier(await part(to), shown.known);
      show({ of, known });
      for (let at; known.cutAt !== undefined && known.cutAt !== at && known.runs.length < MAX_RUNS;) {
        known = withEarlier(known, await part(at = known.cutAt));
        show({ of, known });
      }
    };
    readOn().catch((error) => over.signal.aborted || show({ of, error }));
    return () => over.abort();
  }, [of, isLive ? row : row.id]);
  return shown;
}
