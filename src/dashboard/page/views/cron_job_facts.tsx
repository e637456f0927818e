// @ts-check
/** @import { Condition, DetailEvent, Fact, NextTime, Row } from "../../wire.ts" */
import { html, useState } from "../html.js";
import { useNow } from "../model/clock.js";
import { lasting } from "../model/times.js";
import { Ago, When } from "../parts/time_text.js";

/** @param {{ facts: readonly Fact[] }} props */
export function Facts({ facts }) {
  return html`
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="facts">${facts.map(({ label, value }) =>
        html`
          <div key=${label}>
            <dt>${label}</dt>
            <dd><bdi>${value}</bdi></dd>
          </div>
        `
      )}</dl>
    </section>
  `;
}

/** @param {{ times: readonly NextTime[], row: Row }} props */
export function NextRuns({ times, row: { zone } }) {
  const now = useNow();
  return html`
    <section class="panel" aria-labelledby="next">
      <h2 id="next">Next runs <span class="quiet"><bdi>${zone}</bdi></span></h2>
      ${times.length === 0 ? html`<p class="quiet">None, as things stand.</p>` : html`
        <ol class="next-runs num">
          ${times.map(({ scheduledTime: at, note }) =>
            html`
              <li
                key=${at}><${When} at=${at} zone=${zone} isFull=${true} /> <span class="quiet countdown">in ${lasting(
                  at - now,
                )}</span>${note && html`
                  <span class="note">${note}</span>
                `}</li>
            `
          )}
        </ol>
      `}
    </section>
  `;
}

/** @param {{ conditions: readonly Condition[], zone: string }} props */
export function Conditions({ conditions, zone }) {
  if (conditions.length === 0) return html``;
  return html`
    <section class="panel" aria-labelledby="conditions">
      <h2 id="conditions">Conditions</h2>
      <ul class="conditions">
        ${conditions.map(({ type, status, reason, message, since }) =>
          html`
            <li key=${type}>
              <p class="line"><b><bdi>${type}</bdi></b><span class="tag"><bdi>${status}</bdi></span><bdi>${reason}</bdi>${since !==
                  undefined && html`<span class="quiet num">for <${Ago} at=${since} zone=${zone} /></span>`}</p>
              ${message && html`<p class="quiet"><bdi>${message}</bdi></p>`}
            </li>
          `
        )}
      </ul>
    </section>
  `;
}

/** @param {{ events: readonly DetailEvent[] | undefined, zone: string }} props */
export function Events({ events, zone }) {
  return html`
    <section class="panel" aria-labelledby="events">
      <h2 id="events">Events</h2>
      ${events === undefined
        ? html`<p class="quiet">You may not read Events in this namespace.</p>`
        : events.length === 0
        ? html`<p class="quiet">None. The API server keeps them for an hour, as a rule.</p>`
        : html`
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
              <tbody>${events.map(({ at, isWarning, reason, message, count, about }) =>
                html`
                  <tr key=${`${at} ${about} ${reason} ${message}`} class=${isWarning ? "warning" : ""}>
                    <td class="num"><${Ago} at=${at} zone=${zone} /> ago</td>
                    <td><span class="line">${isWarning &&
                      html`<span class="tag bad">Warning</span>`}<bdi>${reason}</bdi>${count > 1 &&
                      html`<span class="quiet num">×${count}</span>`}</span></td>
                    <td><bdi>${message}</bdi></td>
                    <td><bdi>${about}</bdi></td>
                  </tr>
                `
              )}</tbody>
            </table>
          </div>
        `}
    </section>
  `;
}

/** @param {{ text: string }} props */
export function Yaml({ text }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return html`
    <section class="panel" aria-labelledby="yaml">
      <h2 id="yaml">YAML ${navigator.clipboard &&
        html`<button class="small" onClick=${copy}>${isCopied ? "Copied" : "Copy"}</button>`}</h2>
      <pre class="yaml" tabindex="0" aria-labelledby="yaml">${text}</pre>
    </section>
  `;
}
