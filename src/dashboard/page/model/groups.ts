import type { Row } from "../../wire.ts";

/** CronJobs of one cause, at the place of the first of them. */
export interface Group {
  readonly key: string;
  readonly rows: readonly [Row, ...Row[]];
}

/** Fewer are read as quickly each by itself. */
const LEAST = 3;

/**
 * Puts those together whose causes say the same but for the Job in them.
 *
 * @param lastWords by the ID of the row, as far as they are known
 */
export function groupsOf(rows: readonly Row[], lastWords: ReadonlyMap<string, string>): readonly Group[] {
  const causes = (row: Row) => causeOf(row, lastWords.get(row.id));
  return [...Map.groupBy(rows, causes).values()].flatMap((group) =>
    group.length >= LEAST ? [{ key: `like ${group[0]!.id}`, rows: group as [Row, ...Row[]] }] : group.map(alone)
  );
}

function alone(row: Row): Group {
  return { key: row.id, rows: [row] };
}

/** An exit code alone is no cause: the last words say that, and differ. */
const IS_CODE = /^exit \d+$/;

function causeOf({ id, state, cause }: Row, lastWords: string | undefined): string {
  if (!cause) return id;
  const isCode = IS_CODE.test(cause.message);
  if (isCode && lastWords === undefined) return id;
  const said = isCode ? `${cause.message} ${lastWords}` : cause.message;
  return `${state} ${cause.job === undefined ? said : said.replaceAll(cause.job, "…")}`;
}
