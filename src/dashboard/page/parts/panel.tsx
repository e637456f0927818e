import type { ComponentChildren } from "preact";

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
