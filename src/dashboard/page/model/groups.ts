import type { Row } from "../../wire.ts";

/** CronJobs of one cause, at the place of the first of them. */
export interface Group {
  readonly key: string;
  readonly rows: readonly [Row, ...Row[]];
}

/** Fewer are read as quickly each by itself. */
const LEAST = 3;

/** Puts those together whose causes say the same but for the Job in them. */
export function groupsOf(rows: readonly Row[]): readonly Group[] {
  return [...Map.groupBy(rows, causeOf).values()].flatMap((group) =>
    group.length >= LEAST ? [{ key: `like ${group[0]!.id}`, rows: group as [Row, ...Row[]] }] : group.map(alone)
  );
}

function alone(row: Row): Group {
  return { key: row.id, rows: [row] };
}

/** An exit code alone is no cause: the last words say that, and differ. */
const IS_CODE = /^exit \d+$/;

function causeOf({ id, state, cause }: Row): string {
  if (!cause || IS_CODE.test(cause.message)) return id;
  return `${state} ${cause.job === undefined ? cause.message : cause.message.replaceAll(cause.job, "…")}`;
}
