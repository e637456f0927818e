import type { Row } from "../../wire.ts";
import { useMemo } from "preact/hooks";
import { address, setParams } from "../model/address.ts";
import { sorted } from "../model/order.ts";
import { useValue } from "../model/value.ts";
import { NoMatch } from "../parts/no_match.tsx";
import { useSteady } from "../parts/steady.ts";
import { TimelinePanel } from "../timeline/panel.tsx";
import { Legend } from "../timeline/legend.tsx";
import { Chips } from "../parts/elements.tsx";

const SPANS: [label: string, hours: number][] = [["1 h", 1], ["12 h", 12], ["24 h", 24], ["7 d", 168]];

/** The fleet over time: a picture of what the table of all CronJobs says in words. */
export function TimelineView({ rows }: { rows: readonly Row[] }) {
  const { params } = useValue(address);
  const hours = SPANS.find(([, hours]) => String(hours) === params.hours)?.[1] ?? 24;
  const ordered = useMemo(() => byTrouble(rows), [rows]);
  const { steady, onWork } = useSteady(ordered, `${params.q} ${params.hours}`);
  return (
    <>
      <h1 class="unseen">Timeline</h1>
      <div class="bar tools">
        <Chips
          label="Stretch of time"
          options={SPANS}
          chosen={hours}
          onChoose={(span) => setParams({ hours: String(span) })}
        />
        <Legend />
      </div>
      {rows.length === 0 ? <NoMatch /> : (
        <div onPointerMove={onWork} onFocusIn={onWork}>
          <TimelinePanel rows={steady} hours={hours} />
        </div>
      )}
    </>
  );
}

/** The worst first, then by the next run. */
function byTrouble(rows: readonly Row[]) {
  const { trouble = [], calm = [] } = Object.groupBy(rows, (row) => row.needsAttention ? "trouble" : "calm");
  return [...trouble, ...sorted(calm, "next")];
}
