import { type FileNews, formatNote, formatPlace } from "../../applied_files/news.ts";
import { describe } from "../../applied_files/plan.ts";
import { printable } from "../../telemetry/printable.ts";

/** `applied    CronJob default/report  jobs/report.yaml:1`, `refused    jobs/report.yaml:3:5: …`. */
export function formatFileNews(news: FileNews): string {
  return `${(news.kind === "remark" ? "note" : news.kind).padEnd(9)}  ${detailOf(news)}`;
}

/** Returns the same without the first word. */
export function detailOf(news: FileNews): string {
  switch (news.kind) {
    case "applied": {
      const { wanted } = news;
      return printable(`${describe(wanted)}  ${formatPlace({ file: wanted.file, line: wanted.position("").line })}`);
    }
    case "deleted": {
      const { applied: { kind, namespace, name }, source } = news;
      const object = { apiVersion: "", kind, metadata: { namespace, name } };
      return printable(`${describe({ object })}  no longer in ${source}`);
    }
    default:
      return printable(formatNote(news.note));
  }
}
