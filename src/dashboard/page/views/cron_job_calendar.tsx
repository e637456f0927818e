import type { Row, Timeline, TimelineRow } from "../../wire.ts";
import { useMemo, useState } from "preact/hooks";
import { serverNow } from "../model/clock.ts";
import { daysOf, type Month, monthOf } from "../model/month.ts";
import { useZone } from "../model/times.ts";
import { useAnswer } from "../parts/answer.ts";
import { Panel } from "../parts/panel.tsx";
import { ZoneName } from "../parts/time_text.tsx";
import { Button } from "../parts/button.tsx";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The outcomes of one CronJob's runs, day by day. */
export function Calendar({ row }: { row: Row }) {
  const zone = useZone(row.zone);
  const [back, setBack] = useState(0);
  const month = useMemo(() => monthOf(serverNow(), zone, back), [zone, back]);
  const known = useMonth(row, month);
  const days = useMemo(() => daysOf(month, known, zone), [month, known, zone]);
  const aside = (
    <>
      <ZoneName of={row.zone} />
      <span class="line">
        <Button class="small" aria-label="Month before" onClick={() => setBack(back + 1)}>‹</Button>
        <Button class="small" aria-label="Month after" disabled={back === 0} onClick={() => setBack(back - 1)}>
          ›
        </Button>
      </span>
    </>
  );
  return (
    <Panel id="calendar" title={month.name} aside={aside}>
      <ol class="calendar num" aria-labelledby="calendar">
        {WEEKDAYS.map((day) => <li key={day} class="quiet fine" aria-hidden="true">{day}</li>)}
        {days.map(({ date, worst, says, short, isKnown }, index) => (
          <li
            key={date}
            class={`day-cell ${worst ? `is-${worst}` : ""}${isKnown ? "" : " unknown"}`}
            style={index === 0 ? { gridColumn: month.before + 1 } : {}}
            title={`${date}: ${says || "none"}`}
          >
            <span class="quiet">{Number(date.slice(8))}</span> <b aria-hidden="true">{short}</b>
            <span class="unseen">{says || "none"}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const NOTHING: Pick<TimelineRow, "runs" | "planned"> = { runs: [], planned: [] };

/** Read again whenever its row has changed. */
function useMonth(row: Row, { from, to }: Month): Pick<TimelineRow, "runs" | "planned" | "knownSince"> {
  const query = new URLSearchParams({ from: String(from), to: String(to), id: row.id, all: "1" });
  const { value, error } = useAnswer<Timeline>(`/api/timeline?${query}`, row);
  return error ? NOTHING : value?.rows[0] ?? NOTHING;
}
