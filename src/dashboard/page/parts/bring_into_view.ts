/** Scrolls a panel into view, once it has been drawn. */
export function bringIntoView(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.closest("section")?.scrollIntoView({ block: "nearest" }));
}
