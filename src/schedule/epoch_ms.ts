/** An instant: milliseconds since 1970-01-01T00:00:00Z, as the whole program holds it. RFC 3339 text stays at the edges. */
export type EpochMs = number;

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Reads RFC 3339 text such as `2026-01-02T03:04:05Z`; gives undefined for anything else, an absent value included. */
export function parseTime(text: string | undefined | null): EpochMs | undefined {
  if (typeof text !== "string" || !RFC3339.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** Kubernetes' `Time`: RFC 3339 in UTC, cut to whole seconds. */
export function formatTime(instant: EpochMs): string {
  return new Date(Math.floor(instant / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

/** Kubernetes' `MicroTime`: RFC 3339 in UTC with six decimals. */
export function formatMicroTime(instant: EpochMs): string {
  return new Date(instant).toISOString().replace("Z", "000Z");
}
