import type { DetailEvent, Fact, NextTime, Row } from "../../wire.ts";
import { distanceOf } from "../../../view/times.ts";
import { useNow } from "../model/clock.ts";
import { CopyButton, Panel, Table } from "../parts/elements.tsx";
import { Ago, When, ZoneName } from "../parts/time_text.tsx";

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <Panel id="facts" title="Facts">
      <dl class="facts listed">
        {facts.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

export function NextRuns({ times, row: { zone } }: { times: readonly NextTime[]; row: Row }) {
  const now = useNow();
  return (
    <Panel id="next" title="Next runs" aside={<ZoneName of={zone} />}>
      {times.length === 0 ? <p class="quiet">None, as things stand.</p> : (
        <ol class="next-runs listed num">
          {times.map((time) =>
            "skippedAt" in time ? <li key={time.note} class="note">{time.note}</li> : (
              <li key={time.scheduledTime}>
                <When at={time.startsAt} zone={zone} isFull />{" "}
                <span class="quiet">{time.startsAt > now ? `in ${distanceOf(now, time.startsAt)}` : "waits"}</span>
                {time.startsAt !== time.scheduledTime && (
                  <span class="note">
                    scheduled for <When at={time.scheduledTime} zone={zone} isFull />
                  </span>
                )}
                {time.note && <span class="note">{time.note}</span>}
              </li>
            )
          )}
        </ol>
      )}
    </Panel>
  );
}

export function Events({ events, zone }: { events: readonly DetailEvent[] | undefined; zone: string }) {
  const why = events
    ? "None. The API server keeps them for an hour, as a rule."
    : "You may not read Events in this namespace.";
  return (
    <Panel id="events" title="Events">
      {!events?.length
        ? <p class="quiet">{why}</p>
        : (
          <Table class="events" columns={["Last seen", "Reason", "Message", "About"]}>
            {events.map(({ lastAt, isWarning, reason, message, count, about }) => (
              <tr key={`${lastAt} ${about} ${reason} ${message}`}>
                <td class="num">
                  <Ago at={lastAt} zone={zone} /> ago
                </td>
                <td>
                  <span class="line nowrap">
                    {isWarning && <span class="tag bad">Warning</span>}
                    <bdi>{reason}</bdi>
                    {count > 1 && <span class="quiet num">×{count}</span>}
                  </span>
                </td>
                <td dir="auto">{message}</td>
                <td dir="auto">{about}</td>
              </tr>
            ))}
          </Table>
        )}
    </Panel>
  );
}

export function Yaml({ text }: { text: string }) {
  return (
    <Panel id="yaml" title="YAML" aside={<CopyButton text={text} />}>
      <pre class="well yaml" tabindex={0} aria-labelledby="yaml">{text}</pre>
    </Panel>
  );
}
