import { useState } from "preact/hooks";
import { Chips } from "../parts/chips.tsx";
import { Field } from "../parts/form.tsx";

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
      <Chips label="Until" options={USUAL} chosen={until} onChoose={setUntil} />
      <Field
        label="Until"
        hint="in the zone of the CronJob; empty: until it is resumed"
        name="until"
        value={until}
        placeholder="2h, Mon 08:00, 2026-12-01 08:00"
        onInput={(event) => setUntil(event.currentTarget.value)}
      />
      <Field
        label="Reason"
        hint="shown to everyone"
        name="reason"
        maxlength={200}
        placeholder="db migration"
        autofocus
      />
    </>
  );
}
