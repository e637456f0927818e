import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useState } from "preact/hooks";
import { grouped } from "../model/numbers.ts";

/** A button that sends no form. */
export function Button(props: ComponentProps<"button">) {
  return <button type="button" {...props} />;
}

/** A choice of one option, as toggle buttons. */
export function Chips<Value>(
  { label, options, chosen, onChoose }: {
    label: string;
    options: readonly (readonly [text: string, value: Value])[];
    chosen: Value;
    onChoose: (value: Value) => void;
  },
) {
  return (
    <div class="bar chips" role="group" aria-label={label}>
      {options.map(([text, value]) => (
        <Button
          key={text}
          class="chip"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
        </Button>
      ))}
    </div>
  );
}

/** How long the button says `Copied`. */
const COPIED_MS = 3_000;

/** Copies a text, where the browser lets a page do so. */
export function CopyButton({ text, label = "Copy" }: { text: string | (() => string); label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    setCopied(true);
  };
  return navigator.clipboard && <Button class="small" onClick={copy}>{isCopied ? "Copied" : label}</Button>;
}

/** A part of a view under a heading, which names it. */
export function Panel(
  { id, title, aside, children }: { id: string; title: string; aside?: ComponentChildren; children?: unknown },
) {
  return (
    <section class="card panel" aria-labelledby={id}>
      <h2 id={id}>{title} {aside}</h2>
      {children}
    </section>
  );
}

/** Scrolls a panel into view, once it has been drawn. */
export function bringIntoView(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.closest("section")?.scrollIntoView({ block: "nearest" }));
}

/** The heading of a column, perhaps with the class of its cell. */
export type Column = string | readonly [title: ComponentChildren, className: string];

/** A table that scrolls sideways where it has no room. */
export function Table(
  { class: own, columns, children }: { class: string; columns: readonly Column[]; children: ComponentChildren },
) {
  return (
    <div class="wide">
      <table class={own}>
        <thead>
          <tr>
            {columns.map((column, index) => {
              const [title, className] = typeof column === "string" ? [column, ""] : column;
              return title === "" ? <td key={index}></td> : <th key={index} scope="col" class={className}>{title}</th>;
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Stands where there is nothing to show: says why, and what comes next. */
export function Blank(
  { icon, title, error, children }: { icon: keyof typeof ICONS; title: string; error?: string; children?: unknown },
) {
  return (
    <div class="blank stack">
      <svg viewBox="0 0 48 48" aria-hidden="true">
        <path d={ICONS[icon]} />
      </svg>
      <h2>{title}</h2>
      {error !== undefined && <bdi class="error-text">{error}</bdi>}
      {children}
    </div>
  );
}

/** Paths in a view box of 48 by 48. */
const ICONS = {
  fine: "M24 5a19 19 0 110 38 19 19 0 010-38zM15.5 24.5l6 6L33 18.5",
  nothing: "M24 5a19 19 0 110 38 19 19 0 010-38zM24 13v11l7.5 5",
  search: "M21 7a14 14 0 110 28 14 14 0 010-28zM31 31l10.5 10.5",
  lock: "M11 21h26v20H11zM16 21v-6a8 8 0 0116 0v6M24 29v5",
  offline: "M5 18a28 28 0 0138 0M12 26a18 18 0 0124 0M19 33.5a8.5 8.5 0 0110 0M24 40v.1M7 5l34 38",
  trouble: "M24 6l20 36H4zM24 19v11M24 35.5v.6",
};

/** Stands in for rows until the first has come. */
export function Loading({ what, received = 0, total }: { what: string; received?: number; total?: number }) {
  const progress = total === undefined ? "" : ` ${grouped(received)} of ${grouped(total)}`;
  return (
    <div class="loading stack quiet" role="status">
      <p>Loading {what}…{progress}</p>
      {[0, 1, 2].map((index) => <div key={index} class="card skeleton" aria-hidden="true"></div>)}
    </div>
  );
}
