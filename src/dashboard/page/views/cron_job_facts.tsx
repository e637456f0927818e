import type { Condition, DetailEvent, Fact, NextTime, Row } from "../../wire.ts";
import { distanceOf } from "../../../view/times.ts";
import { useNow } from "../model/clock.ts";
import { CopyButton } from "../parts/copy_button.tsx";
import { Ago, When, ZoneName } from "../parts/time_text.tsx";

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="facts">
        {facts.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function NextRuns({ times, row: { zone } }: { times: readonly NextTime[]; row: Row }) {
  const now = useNow();
  return (
    <section class="panel" aria-labelledby="next">
      <h2 id="next">
        Next runs <ZoneName of={zone} />
      </h2>
      {times.length === 0 ? <p class="quiet">None, as things stand.</p> : (
        <ol class="next-runs num">
          {times.map(({ scheduledTime: at, note }) => (
            <li key={at}>
              <When at={at} zone={zone} isFull />{" "}
              <span class="quiet countdown">
                in {distanceOf(now, at)}
              </span>
              {note && <span class="note">{note}</span>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

export function Conditions({ conditions, zone }: { conditions: readonly Condition[]; zone: string }) {
  if (conditions.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="conditions">
      <h2 id="conditions">Conditions</h2>
      <ul class="conditions">
        {conditions.map(({ type, status, reason, message, since }) => (
          <li key={type}>
            <p class="line">
              <b>
                <bdi>{type}</bdi>
              </b>
              <span class="tag">
                <bdi>{status}</bdi>
              </span>
              <bdi>{reason}</bdi>
              {since !==
                  undefined && (
                <span class="quiet num">
                  for <Ago at={since} zone={zone} />
                </span>
              )}
            </p>
            {message && (
              <p class="quiet">
                <bdi>{message}</bdi>
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Events({ events, zone }: { events: readonly DetailEvent[] | undefined; zone: string }) {
  return (
    <section class="panel" aria-labelledby="events">
      <h2 id="events">Events</h2>
      {events === undefined
        ? <p class="quiet">You may not read Events in this namespace.</p>
        : events.length === 0
        ? <p class="quiet">None. The API server keeps them for an hour, as a rule.</p>
        : (
          <div class="wide">
            <table class="events">
              <thead>
                <tr>
                  <th scope="col">Last seen</th>
                  <th scope="col">Reason</th>
                  <th scope="col">Message</th>
                  <th scope="col">About</th>
                </tr>
              </thead>
              <tbody>
                {events.map(({ at, isWarning, reason, message, count, about }) => (
                  <tr key={`${at} ${about} ${reason} ${message}`} class={isWarning ? "warning" : ""}>
                    <td class="num">
                      <Ago at={at} zone={zone} /> ago
                    </td>
                    <td>
                      <span class="line nowrap">
                        {isWarning &&
                          <span class="tag bad">Warning</span>}
                        <bdi>{reason}</bdi>
                        {count > 1 &&
                          <span class="quiet num">×{count}</span>}
                      </span>
                    </td>
                    <td>
                      <bdi>{message}</bdi>
                    </td>
                    <td>
                      <bdi>{about}</bdi>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
    </section>
  );
}

export function Yaml({ text }: { text: string }) {
  return (
    <section class="panel" aria-labelledby="yaml">
      <h2 id="yaml">
        YAML <CopyButton text={text} />
      </h2>
      <pre class="yaml" tabindex={0} aria-labelledby="yaml">{text}</pre>
    </section>
  );
}
