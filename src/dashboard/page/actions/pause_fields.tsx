import { useState } from "preact/hooks";

/** The answers that are given most often. */
const USUAL: readonly (readonly [label: string, until: string])[] = [
  ["1 hour", "1h"],
  ["4 hours", "4h"],
  ["1 day", "1d"],
  ["Monday 08:00", "Mon 08:00"],
  ["Until I resume it", ""],
];

/** Until when, and why. */
export function PauseFields() {
  const [until, setUntil] = useState("1h");
  return (
    <>
      <fieldset class="bar chips">
        <legend>Until</legend>
        {USUAL.map(([label, value]) => (
          <button
            key={label}
            type="button"
            class="chip"
            aria-pressed={until === value}
            onClick={() => setUntil(value)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <label class="stack">
        <span>
          Time <span class="quiet">in the zone of the CronJob; empty: until it is resumed</span>
        </span>
        <input
          name="until"
          value={until}
          autocomplete="off"
          placeholder="2h, Mon 08:00, 2026-12-01 08:00"
          onInput={(event) => setUntil(event.currentTarget.value)}
        />
      </label>
      <label class="stack">
        <span>
          Reason <span class="quiet">shown to everyone</span>
        </span>
        <input name="reason" autocomplete="off" maxlength={200} placeholder="db migration" autofocus />
      </label>
    </>
  );
}
