import { type FileNews, formatNote, formatPlace } from "../../applied_files/news.ts";
import { describe } from "../../applied_files/plan.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { printable } from "../../telemetry/printable.ts";
import type { Stamp } from "./console.ts";

/** For people: a line for each object and for each thing that is wrong. */
export function printFileNews(stamp: Stamp, print: (line: string) => void): (news: FileNews) => void {
  return (news) => print(`${stamp(news.kind === "refused" ? "warning" : "info")}${formatFileNews(news)}`);
}

/** For programs. */
export function logFileNews(): (news: FileNews) => void {
  const logger = loggerFor("files");
  return (news) => {
    const detail = printable(withoutKind(news));
    if (news.kind === "refused") logger.warn("Cannot apply all of the files: {detail}", { detail });
    else logger.info(LOGGED[news.kind], { detail });
  };
}

const LOGGED = {
  applied: "Applied {detail}",
  deleted: "Deleted {detail}",
  remark: "Noted of a file: {detail}",
} as const;

/** `applied    CronJob default/report  jobs/report.yaml:1`, `refused    jobs/report.yaml:3:5: …`. */
export function formatFileNews(news: FileNews): string {
  return `${(news.kind === "remark" ? "note" : news.kind).padEnd(9)}  ${printable(withoutKind(news))}`;
}

function withoutKind(news: FileNews): string {
  switch (news.kind) {
    case "applied": {
      const { wanted } = news;
      return `${describe(wanted)}  ${formatPlace({ file: wanted.file, line: wanted.position("").line })}`;
    }
    case "deleted": {
      const { applied: { kind, namespace, name }, source } = news;
      return `${describe({ object: { apiVersion: "", kind, metadata: { namespace, name } } })}  no longer in ${source}`;
    }
    default:
      return formatNote(news.note);
  }
}
