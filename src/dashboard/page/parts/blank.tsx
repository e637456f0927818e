/** A page, or a part of it, that has nothing to list: says why, and what comes next. */
export function Blank(
  { icon, title, error, children }: { icon: string; title: string; error?: string; children?: unknown },
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

/** Lines on 48 by 48. */
const ICONS: Readonly<Record<string, string>> = {
  fine: "M24 5a19 19 0 110 38 19 19 0 010-38zM15.5 24.5l6 6L33 18.5",
  nothing: "M24 5a19 19 0 110 38 19 19 0 010-38zM24 13v11l7.5 5",
  search: "M21 7a14 14 0 110 28 14 14 0 010-28zM31 31l10.5 10.5",
  lock: "M11 21h26v20H11zM16 21v-6a8 8 0 0116 0v6M24 29v5",
  offline: "M5 18a28 28 0 0138 0M12 26a18 18 0 0124 0M19 33.5a8.5 8.5 0 0110 0M24 40v.1M7 5l34 38",
  trouble: "M24 6l20 36H4zM24 19v11M24 35.5v.6",
};
